#include "filter_policy/hash_sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace linebloom {
namespace {

constexpr int kBuckets = 256;
// Below this a comparison sort is faster than another pass over the buckets.
constexpr size_t kFew = 96;

using BucketStarts = std::array<size_t, kBuckets + 1>;

uint32_t ByteAt(uint64_t hash, int shift) { return hash >> shift & 0xff; }

BucketStarts CountBuckets(std::span<const uint64_t> hashes, int shift) {
  BucketStarts starts{};
  for (const uint64_t hash : hashes) ++starts[ByteAt(hash, shift) + 1];
  for (int b = 0; b < kBuckets; ++b) starts[b + 1] += starts[b];
  return starts;
}

// Moves every hash into its bucket by following the cycles of the permutation.
void MoveToBuckets(std::span<uint64_t> hashes, int shift,
                   const BucketStarts& starts) {
  std::array<size_t, kBuckets> next;
  std::copy_n(starts.begin(), kBuckets, next.begin());
  for (uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
    while (next[bucket] < starts[bucket + 1]) {
      uint64_t hash = hashes[next[bucket]];
      for (uint32_t home = ByteAt(hash, shift); home != bucket;
           home = ByteAt(hash, shift)) {
        std::swap(hash, hashes[next[home]++]);
      }
      hashes[next[bucket]++] = hash;
    }
  }
}

void SortFrom(std::span<uint64_t> hashes, int shift) {
  if (hashes.size() <= kFew || shift < 0) {
    std::sort(hashes.begin(), hashes.end());
    return;
  }
  const BucketStarts starts = CountBuckets(hashes, shift);
  MoveToBuckets(hashes, shift, starts);
  for (int b = 0; b < kBuckets; ++b) {
    SortFrom(hashes.subspan(starts[b], starts[b + 1] - starts[b]), shift - 8);
  }
}

}  // namespace

void SortHashes(std::span<uint64_t> hashes) { SortFrom(hashes, 56); }

}  // namespace linebloom
