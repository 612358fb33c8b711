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

// Sorts a filter's hashes by group of lines, and iterates over the groups in
// order. The hashes of a group come in any order, because its bytes don't
// depend on that. So one pass that counts and one that moves are enough,
// without comparing hashes. In addition to the list this takes the memory of
// the list's largest bucket.
class GroupPartition {
 public:
  // `hashes` must outlive this and stay unchanged. `lines` is at least 1.
  GroupPartition(const HashList& hashes, uint32_t lines);

  // The hashes of the next group, valid until the next call. Call this
  // GroupsOf(lines) times, for group 0, 1, ...
  std::span<const uint64_t> Next();

 private:
  uint64_t FirstHashOf(size_t bucket) const;
  std::span<const uint64_t> HashesOf(uint32_t group) const;
  void LoadBucket();

  const HashList& hashes_;
  const uint32_t lines_;
  size_t next_bucket_ = 0;
  uint32_t next_group_ = 0;
  uint32_t first_group_ = 0;   // of those loaded
  uint32_t end_of_whole_ = 0;  // all groups before this are completely loaded
  std::vector<uint64_t> loaded_;
  std::vector<size_t> starts_;  // where each group begins in `loaded_`
  // Hashes of a group that continues in the next bucket.
  std::vector<uint64_t> carried_;
};

}  // namespace linebloom
