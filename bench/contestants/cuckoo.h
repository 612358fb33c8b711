// Cuckoo filters: Fan, Andersen, Kaminsky and Mitzenmacher, 2014. A key's
// fingerprint is in one of two buckets of four. Unlike the paper's XOR, the sum
// of both is a function of the fingerprint, so any number of buckets will do.
#pragma once

#include <cstdint>
#include <cstring>

#include "bench/contestants/contestant.h"

namespace linebloom {

// Shared by building and probing.
template <int kBits>
struct CuckooBuckets {
  static_assert(kBits % 2 == 0 && kBits <= 16, "a bucket is whole bytes");
  static constexpr size_t kBucketBytes = kBits / 2;
  static constexpr uint64_t kFingerprint = (uint64_t{1} << kBits) - 1;
  static constexpr uint64_t kLows = 1 | uint64_t{1} << kBits |
                                    uint64_t{1} << 2 * kBits |
                                    uint64_t{1} << 3 * kBits;
  static constexpr uint64_t kHighs = kLows << (kBits - 1);

  // Zero marks an empty place.
  static uint64_t FingerprintOf(uint64_t hash) {
    const uint64_t fingerprint = hash & kFingerprint;
    return fingerprint + (fingerprint == 0);
  }

  uint64_t FirstBucket(uint64_t hash) const { return HighProduct(hash, count); }

  uint64_t OtherBucket(uint64_t bucket, uint64_t fingerprint) const {
    const uint64_t sum = HighProduct(fingerprint * 0x9e3779b97f4a7c15, count);
    return sum - bucket + (sum < bucket ? count : 0);
  }

  // Four fingerprints, and the bits after them.
  static uint64_t Load(const char* bucket) {
    uint64_t places;
    std::memcpy(&places, bucket, sizeof(places));
    return places;
  }

  // The high bit of each place that has this fingerprint. Above the lowest such
  // place, other bits may be set too.
  static uint64_t Find(uint64_t places, uint64_t fingerprint) {
    const uint64_t differences = places ^ fingerprint * kLows;
    return (differences - kLows) & ~differences & kHighs;
  }

  uint64_t count;
};

template <int kBits>
class Cuckoo {
 public:
  static FilterBytes Build(const Hashes& hashes);

  explicit Cuckoo(const rocksdb::Slice& filter)
      : bytes_(filter.data() + sizeof(buckets_)) {
    std::memcpy(&buckets_, filter.data(), sizeof(buckets_));
  }

  bool MayMatch(uint64_t hash) const {
    const uint64_t fingerprint = Buckets::FingerprintOf(hash);
    const uint64_t first = buckets_.FirstBucket(hash);
    const uint64_t other = buckets_.OtherBucket(first, fingerprint);
    return (Buckets::Find(BucketAt(first), fingerprint) |
            Buckets::Find(BucketAt(other), fingerprint)) != 0;
  }

  void Prefetch(uint64_t hash) const {
    const uint64_t first = buckets_.FirstBucket(hash);
    const uint64_t other =
        buckets_.OtherBucket(first, Buckets::FingerprintOf(hash));
    __builtin_prefetch(bytes_ + first * Buckets::kBucketBytes);
    __builtin_prefetch(bytes_ + other * Buckets::kBucketBytes);
  }

 private:
  using Buckets = CuckooBuckets<kBits>;

  uint64_t BucketAt(uint64_t bucket) const {
    return Buckets::Load(bytes_ + bucket * Buckets::kBucketBytes);
  }

  Buckets buckets_;
  const char* bytes_;
};

extern template class Cuckoo<10>;
extern template class Cuckoo<12>;

}  // namespace linebloom
