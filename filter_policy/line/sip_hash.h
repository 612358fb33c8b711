// SipHash-1-3, a hash with a secret key: one round for each eight bytes, three
// at the end (Aumasson, Bernstein: SipHash, a fast short-input PRF, 2012).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "filter_policy/line/little_endian.h"

namespace linebloom {

// Reads up to seven bytes as a number, with two reads that may overlap: a loop
// over bytes takes longer than the rounds of a short key.
inline uint64_t LastBytes(const char* bytes, size_t size) {
  if (size == 0) return 0;
  if (size < 4) {
    const auto byte = [bytes](size_t i) {
      return uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    };
    return byte(0) | byte(size / 2) | byte(size - 1);
  }
  return LoadLittleEndian<uint32_t>(bytes) |
         uint64_t{LoadLittleEndian<uint32_t>(bytes + size - 4)}
             << (8 * (size - 4));
}

inline uint64_t SipHash13(const uint64_t (&key)[2], const char* bytes,
                          size_t size) {
  uint64_t v0 = key[0] ^ 0x736f6d6570736575;
  uint64_t v1 = key[1] ^ 0x646f72616e646f6d;
  uint64_t v2 = key[0] ^ 0x6c7967656e657261;
  uint64_t v3 = key[1] ^ 0x7465646279746573;
  const auto round = [&] {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  };
  const auto add = [&](uint64_t word) {
    v3 ^= word;
    round();
    v0 ^= word;
  };
  const char* const last = bytes + size / 8 * 8;
  for (; bytes != last; bytes += 8) add(LoadLittleEndian<uint64_t>(bytes));
  add(LastBytes(last, size % 8) | uint64_t{size} << 56);
  v2 ^= 0xff;
  for (int i = 0; i < 3; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace linebloom
