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

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "filter_policy/line/line.h"
#include "filter_policy/line/line_builder.h"

namespace linebloom {

class HashList {
 public:
  // Up to this many hashes share a single bucket.
  static constexpr size_t kFew = 32768;
  static constexpr int kBucketBits = 8;

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
  // Cold, so that Add spills few registers.
  __attribute__((cold)) Bucket& MakeRoomFor(uint64_t hash);
  void Spread();

  size_t size_ = 0;
  uint64_t bucket_mask_ = 0;
  std::vector<Bucket> buckets_ = std::vector<Bucket>(1);
};

// Sorts a filter's hashes by line, group by group, and chooses the code of each
// group. The hashes of a line come in any order, because its bytes don't depend
// on that. So one pass that counts and one that moves are enough, without
// comparing hashes. In addition to the list this takes the memory of the list's
// largest bucket and 650 bytes for each group in it.
class LinePartition {
 public:
  // `hashes` must outlive this and stay unchanged. `lines` is at least 1.
  LinePartition(const HashList& hashes, uint32_t lines);

  // The hashes of each line, after lines have exchanged slices. A filter's last
  // group may have fewer lines; then the others are empty.
  struct Group {
    uint8_t code;
    std::array<std::span<const uint64_t>, kLinesPerGroup> lines;
  };

  // The next group, valid until the next call. Call this GroupsOf(lines) times,
  // for group 0, 1, ...
  const Group& Next();

 private:
  uint64_t FirstHashOf(size_t bucket) const;
  void LoadBucket();
  // Replaces the slices' numbers of hashes by the places in `loaded_` where
  // each of them begins, for a group that begins at `place`. Returns its end.
  size_t PlaceLines(size_t place, SliceCounts* slices, Group* group);

  const HashList& hashes_;
  const uint32_t lines_;
  size_t next_bucket_ = 0;
  uint32_t next_group_ = 0;
  uint32_t first_group_ = 0;   // of those loaded
  uint32_t end_of_whole_ = 0;  // all groups before this are completely loaded
  std::vector<Group> groups_;
  std::vector<SliceCounts> slices_;
  std::vector<uint64_t> loaded_;
  // Hashes of a group that continues in the next bucket.
  std::vector<uint64_t> carried_;
};

}  // namespace linebloom
