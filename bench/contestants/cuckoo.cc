#include "bench/contestants/cuckoo.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

namespace linebloom {
namespace {

constexpr double kLoad = 0.95;  // how full the paper fills buckets of four

template <int kBits>
class CuckooTable {
 public:
  explicit CuckooTable(uint64_t buckets)
      : buckets_{buckets},
        size_(sizeof(buckets_) + buckets * Buckets::kBucketBytes +
              sizeof(uint64_t)),  // Load reads past the last bucket
        bytes_(std::make_unique<char[]>(size_)) {
    std::memcpy(bytes_.get(), &buckets_, sizeof(buckets_));
  }

  bool InsertAll(const Hashes& hashes) {
    constexpr size_t kAhead = 16;
    for (size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) {
        __builtin_prefetch(At(buckets_.FirstBucket(hashes[i + kAhead])), 1);
      }
      if (!Insert(hashes[i])) return false;
    }
    return true;
  }

  FilterBytes Take() { return {std::move(bytes_), size_}; }

 private:
  using Buckets = CuckooBuckets<kBits>;

  char* At(uint64_t bucket) {
    return bytes_.get() + sizeof(buckets_) + bucket * Buckets::kBucketBytes;
  }

  // False if too many others have to move in turn; one of them is then lost.
  bool Insert(uint64_t hash) {
    constexpr int kMaxMoves = 500;
    uint64_t fingerprint = Buckets::FingerprintOf(hash);
    uint64_t bucket = buckets_.FirstBucket(hash);
    if (PutIntoEmpty(bucket, fingerprint)) return true;
    for (int moves = 0; moves < kMaxMoves; ++moves) {
      bucket = buckets_.OtherBucket(bucket, fingerprint);
      if (PutIntoEmpty(bucket, fingerprint)) return true;
      fingerprint = Swap(bucket, NextRandomPlace(), fingerprint);
    }
    return false;
  }

  bool PutIntoEmpty(uint64_t bucket, uint64_t fingerprint) {
    const uint64_t empty = Buckets::Find(Buckets::Load(At(bucket)), 0);
    if (empty == 0) return false;
    Swap(bucket, std::countr_zero(empty) / kBits, fingerprint);
    return true;
  }

  // Returns the previous fingerprint.
  uint64_t Swap(uint64_t bucket, int place, uint64_t fingerprint) {
    const int shift = place * kBits;
    uint64_t places = Buckets::Load(At(bucket));
    const uint64_t before = places >> shift & Buckets::kFingerprint;
    places ^= (before ^ fingerprint) << shift;
    std::memcpy(At(bucket), &places, sizeof(places));
    return before;
  }

  int NextRandomPlace() {
    random_ = random_ * 0x5851f42d4c957f2d + 1;
    return static_cast<int>(random_ >> 62);
  }

  Buckets buckets_;
  size_t size_;
  std::unique_ptr<char[]> bytes_;
  uint64_t random_ = 1;
};

// Each hash once: two buckets of four have no room for a ninth copy.
Hashes DistinctOf(Hashes hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

template <int kBits>
std::optional<FilterBytes> BuildOfSize(const Hashes& hashes, uint64_t buckets) {
  CuckooTable<kBits> table(buckets);
  if (!table.InsertAll(hashes)) return std::nullopt;
  return table.Take();
}

}  // namespace

template <int kBits>
FilterBytes Cuckoo<kBits>::Build(const Hashes& hashes) {
  auto buckets = static_cast<uint64_t>(
      1 + std::ceil(static_cast<double>(hashes.size()) / (4 * kLoad)));
  auto filter = BuildOfSize<kBits>(hashes, buckets);
  if (filter.has_value()) return *std::move(filter);
  const Hashes distinct = DistinctOf(hashes);
  while (!filter.has_value()) {
    buckets += 1 + buckets / 64;
    filter = BuildOfSize<kBits>(distinct, buckets);
  }
  return *std::move(filter);
}

template class Cuckoo<10>;
template class Cuckoo<12>;

}  // namespace linebloom
