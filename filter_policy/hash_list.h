// The hashes of a filter's keys while they are collected.
//
// Many hashes are spread over 256 buckets by their top byte as they come. The
// keys of a line have neighbouring hashes, so a filter is then built bucket by
// bucket, and a bucket with its share of the filter fits the CPU's cache
// whatever the filter's size.
//
// Memory: 8 bytes for each hash, and at most 1 MiB beside that.
//
// Rejected: a vector, which holds 24 bytes a hash while it doubles, and whose
// partition afterwards misses the cache for each of 100M hashes; a deque, as
// RocksDB has it, which has to be copied to be partitioned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace linebloom {

class HashList {
 public:
  // Hashes of which all have the same top kBucketBits bits.
  static constexpr int kBucketBits = 8;
  // As many stay in one bucket: enough to fill chunks, few enough to be cheap
  // to move.
  static constexpr size_t kFew = 32768;

  HashList() = default;
  explicit HashList(std::span<const uint64_t> hashes) {
    for (const uint64_t hash : hashes) Add(hash);
  }

  void Add(uint64_t hash) {
    ++size_;
    if (buckets_.empty()) {
      few_.push_back(hash);
      if (few_.size() > kFew) Spread();
    } else {
      buckets_[hash >> (64 - kBucketBits)].Add(hash);
    }
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // 1, or 2^kBucketBits of which bucket i has the hashes that begin with the
  // bits of i.
  size_t bucket_count() const { return buckets_.empty() ? 1 : buckets_.size(); }

  // Calls visit(std::span<const uint64_t>) until all hashes of the bucket were
  // visited once.
  template <typename Visit>
  void VisitBucket(size_t bucket, const Visit& visit) const {
    if (buckets_.empty()) {
      visit(std::span<const uint64_t>(few_));
    } else {
      buckets_[bucket].VisitChunks(visit);
    }
  }

  // The same for all hashes.
  template <typename Visit>
  void VisitAll(const Visit& visit) const {
    for (size_t i = 0; i < bucket_count(); ++i) VisitBucket(i, visit);
  }

 private:
  class Bucket {
   public:
    void Add(uint64_t hash) {
      if (used_of_last_ == kChunk) AddChunk();
      last_[used_of_last_++] = hash;
    }

    template <typename Visit>
    void VisitChunks(const Visit& visit) const {
      for (const auto& chunk : chunks_) {
        const bool is_last = &chunk == &chunks_.back();
        visit(std::span<const uint64_t>(chunk.get(),
                                        is_last ? used_of_last_ : kChunk));
      }
    }

   private:
    static constexpr size_t kChunk = 512;  // a page of 4 KiB

    void AddChunk();

    uint64_t* last_ = nullptr;
    size_t used_of_last_ = kChunk;
    std::vector<std::unique_ptr<uint64_t[]>> chunks_;
  };

  void Spread();

  size_t size_ = 0;
  std::vector<uint64_t> few_;
  std::vector<Bucket> buckets_;
};

}  // namespace linebloom
