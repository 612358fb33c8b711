// Collects the hashes of a filter's keys.
//
// If there are many, they are distributed over 256 buckets by their top byte as
// they arrive. Neighbouring hashes belong to the same line, so the filter is
// then built bucket by bucket, and a bucket together with its part of the
// filter fits the CPU's cache, whatever the filter's size.
//
// Memory: 8.05 bytes per hash, including the overhead of chunks and malloc,
// plus at most 1 MiB of chunks that are not full.
//
// Rejected: a vector, which takes 24 bytes per hash while it doubles, and whose
// partitioning afterwards misses the cache for each of 100M hashes; a deque, as
// in RocksDB, which must be copied to be partitioned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace linebloom {

class HashList {
 public:
  // Up to this many hashes share a single bucket.
  static constexpr size_t kFew = 32768;
  static constexpr int kBucketBits = 8;

  HashList() = default;
  explicit HashList(std::span<const uint64_t> hashes) {
    for (const uint64_t hash : hashes) Add(hash);
  }

  void Add(uint64_t hash) {
    Bucket* bucket = &BucketOf(hash);
    if (bucket->next == bucket->end) bucket = &MakeRoomFor(hash);
    *bucket->next++ = hash;
    ++size_;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // 1, or 2^kBucketBits buckets, where bucket i has the hashes that start with
  // the bits of i.
  size_t bucket_count() const { return buckets_.size(); }

  // Calls visit(std::span<const uint64_t>) until each hash of the bucket has
  // been visited once.
  template <typename Visit>
  void VisitBucket(size_t index, const Visit& visit) const {
    const Bucket& bucket = buckets_[index];
    for (const std::unique_ptr<uint64_t[]>& chunk : bucket.chunks) {
      const bool is_last = &chunk == &bucket.chunks.back();
      visit(std::span<const uint64_t>(
          chunk.get(), is_last ? bucket.next : chunk.get() + kChunk));
    }
  }

  // The same for all hashes.
  template <typename Visit>
  void VisitAll(const Visit& visit) const {
    for (size_t i = 0; i < buckets_.size(); ++i) VisitBucket(i, visit);
  }

 private:
  static constexpr size_t kChunk = 512;  // hashes: 4 KiB

  struct Bucket {
    uint64_t* next = nullptr;  // free space in the last chunk
    uint64_t* end = nullptr;
    std::vector<std::unique_ptr<uint64_t[]>> chunks;
  };

  Bucket& BucketOf(uint64_t hash) {
    return buckets_[hash >> (64 - kBucketBits) & bucket_mask_];
  }
  Bucket& MakeRoomFor(uint64_t hash);
  void Spread();

  size_t size_ = 0;
  uint64_t bucket_mask_ = 0;
  std::vector<Bucket> buckets_ = std::vector<Bucket>(1);
};

}  // namespace linebloom
