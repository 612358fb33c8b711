#include "filter_policy/line/hash.h"

#include <highwayhash/sip_hash.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <bit>

#include "filter_policy/line/little_endian.h"
#include "filter_policy/line/xxh3.inc"
#include "filter_policy/line/xxh3_preview.inc"

namespace linebloom {
namespace {

uint64_t HashOfNumber(uint64_t number) {
  std::array<char, sizeof(number)> bytes;
  StoreLittleEndian(bytes.data(), number);
  return HashUnseeded(bytes.data(), bytes.size());
}

// Reads up to seven bytes as a number, with two reads that may overlap: a loop
// over bytes takes longer than the rounds of a short key.
uint64_t LastBytes(const char* bytes, size_t size) {
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

}  // namespace

uint64_t HashUnseeded(const char* key, size_t size) {
  return XXH3_64bits(key, size);
}

uint64_t HashForPlainLines(const char* key, size_t size) {
  return std::rotl(xxh3_preview::Hash(key, size), 32);
}

KeyHash::KeyHash(uint64_t seed, LineKind line)
    : key_{seed, seed == 0 ? 0 : HashOfNumber(seed)}, line_(line) {}

// Rejected: the library's SipHash13(), which writes the last bytes one by one
// and reads them back as one word: 1.4 times as slow for a key of 8 bytes.
uint64_t KeyHash::HashSeeded(const char* key, size_t size) const {
  highwayhash::SipHash13State state({key_[0], key_[1]});
  const char* const last = key + size / 8 * 8;
  for (; key != last; key += 8) state.Update(key);
  std::array<char, 8> packet;
  StoreLittleEndian(packet.data(),
                    LastBytes(last, size % 8) | uint64_t{size & 0xff} << 56);
  state.Update(packet.data());
  return state.Finalize();
}

// Not std::random_device, which throws if there is no entropy; RocksDB's
// background threads catch nothing.
std::optional<uint64_t> DrawHashSeed() {
  uint64_t seed = 0;
  while (seed == 0) {
    if (getentropy(&seed, sizeof(seed)) != 0) return std::nullopt;
  }
  return seed;
}

}  // namespace linebloom
