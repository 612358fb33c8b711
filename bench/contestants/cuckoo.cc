// Cuckoo filters: Fan, Andersen, Kaminsky and Mitzenmacher, 2014. A key's
// fingerprint is in one of two buckets of four. Unlike the paper's XOR, the sum
// of both is a function of the fingerprint, so any number of buckets will do.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "bench/contestants/contestants.h"

namespace linebloom {
namespace {

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

template <int kBits>
std::optional<FilterBytes> BuildOfSize(const Hashes& hashes, uint64_t buckets) {
  CuckooTable<kBits> table(buckets);
  if (!table.InsertAll(hashes)) return std::nullopt;
  return table.Take();
}

template <int kBits>
FilterBytes Cuckoo<kBits>::Build(const Hashes& hashes) {
  auto buckets = static_cast<uint64_t>(
      1 + std::ceil(static_cast<double>(hashes.size()) / (4 * kLoad)));
  auto filter = BuildOfSize<kBits>(hashes, buckets);
  if (filter.has_value()) return *std::move(filter);
  // Two buckets of four have no room for a ninth copy of a hash.
  const Hashes distinct = DistinctOf(hashes);
  while (!filter.has_value()) {
    buckets += 1 + buckets / 64;
    filter = BuildOfSize<kBits>(distinct, buckets);
  }
  return *std::move(filter);
}

// Reads eight bytes of each of two buckets, wherever they start.
template <int kBits>
Contestant CuckooContestant(const char* name) {
  return {name, 2 * (1 + 7 / 64.0), &ContestantPolicy<Cuckoo<kBits>>::New};
}

}  // namespace

std::vector<Contestant> CuckooContestants() {
  return {CuckooContestant<10>("cuckoo-10"), CuckooContestant<12>("cuckoo-12")};
}

}  // namespace linebloom
