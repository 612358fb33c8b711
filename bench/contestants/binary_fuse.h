// Binary fuse filters: Graf and Lemire, 2022. A key has a place in each of
// kArity neighbouring segments of an array of fingerprints, solved so that the
// XOR of its places is its fingerprint; a missing key's is so only by chance.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "bench/contestants/contestant.h"

namespace linebloom {

// Determines the places of a hash; stored before the fingerprints.
struct FuseShape {
  uint64_t
      multiplier;  // odd; each value gives a different choice of all places
  uint32_t segment_length;  // a power of two
  uint32_t starts;  // how many places a key's first segment can start at

  static FuseShape For(int arity, size_t keys);
  uint32_t PlacesFor(int arity) const {
    return starts + static_cast<uint32_t>(arity - 1) * segment_length;
  }
};

template <int kArity>
using FusePlaces = std::array<uint32_t, kArity>;

// `mixed` is a hash times the multiplier. The integer part of a product is its
// place in the first segment; the fraction selects those in the others.
template <int kArity>
FusePlaces<kArity> PlacesOf(const FuseShape& shape, uint64_t mixed) {
  constexpr int kBits = kArity == 3 ? 18 : 16;  // bits of the longest segment
  const unsigned __int128 product =
      static_cast<unsigned __int128>(mixed) * shape.starts;
  auto fraction = static_cast<uint64_t>(product);
  auto at = static_cast<uint32_t>(product >> 64);
  FusePlaces<kArity> places;
  places[0] = at;
  for (int i = 1; i < kArity; ++i) {
    at += shape.segment_length;
    const auto chosen = static_cast<uint32_t>(fraction >> (64 - kBits));
    places[i] = at ^ (chosen & (shape.segment_length - 1));
    fraction <<= kBits;
  }
  return places;
}

template <int kArity, typename Fingerprint>
class BinaryFuse {
 public:
  static FilterBytes Build(const Hashes& hashes);

  explicit BinaryFuse(const rocksdb::Slice& filter)
      : fingerprints_(filter.data() + sizeof(shape_)) {
    std::memcpy(&shape_, filter.data(), sizeof(shape_));
  }

  bool MayMatch(uint64_t hash) const {
    const uint64_t mixed = hash * shape_.multiplier;
    Fingerprint difference = FingerprintOf(mixed);
    for (const uint32_t place : PlacesOf<kArity>(shape_, mixed)) {
      difference ^= FingerprintAt(fingerprints_, place);
    }
    return difference == 0;
  }

  void Prefetch(uint64_t hash) const {
    const uint64_t mixed = hash * shape_.multiplier;
    for (const uint32_t place : PlacesOf<kArity>(shape_, mixed)) {
      __builtin_prefetch(fingerprints_ + place * sizeof(Fingerprint));
    }
  }

 private:
  static Fingerprint FingerprintOf(uint64_t mixed) {
    return static_cast<Fingerprint>(mixed ^ (mixed >> 32));
  }

  static Fingerprint FingerprintAt(const char* fingerprints, uint32_t place) {
    Fingerprint fingerprint;
    std::memcpy(&fingerprint, fingerprints + place * sizeof(fingerprint),
                sizeof(fingerprint));
    return fingerprint;
  }

  FuseShape shape_;
  const char* fingerprints_;
};

extern template class BinaryFuse<3, uint8_t>;
extern template class BinaryFuse<4, uint8_t>;
extern template class BinaryFuse<4, uint16_t>;

}  // namespace linebloom
