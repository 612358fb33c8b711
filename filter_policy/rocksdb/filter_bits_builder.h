// RocksDB's builder interface over BuildFilter.
#pragma once

#include <cstdint>
#include <optional>

#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/hash_list.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"

namespace linebloom {

// Collects the hashes of keys and prefixes and makes a block of them at each
// Finish; it then begins anew, as partitioned filters need. Belongs to one
// thread.
class FilterBitsBuilder final : public rocksdb::FilterBitsBuilder {
 public:
  // `detect_corruption` is the table option
  // detect_filter_construct_corruption: hashes are then kept until
  // MaybePostVerify has found each of them in the finished block.
  FilterBitsBuilder(const FilterSettings& settings, bool detect_corruption);

  // Drops a key that repeats the one before.
  void AddKey(const rocksdb::Slice& key) override;

  // Adds a key and its alternative, usually its prefix. Drops repeats of the
  // key, of the alternative, and between the two, in adjacent calls.
  virtual void AddKeyAndAlt(const rocksdb::Slice& key,
                            const rocksdb::Slice& alt) LINEBLOOM_OVERRIDE_9_6;

  // Entries after dropping repeats; 0 if and only if nothing was added.
  size_t EstimateEntriesAdded() override;

  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf) override;
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf,
                        rocksdb::Status* status) override;
  rocksdb::Status MaybePostVerify(const rocksdb::Slice& block) override;

  // The most entries whose block has no more than `bytes` bytes. About so for a
  // policy with a rate: how many lines the keys need shows when they are there.
  size_t ApproximateNumEntries(size_t bytes) override;

  // The size of the block of so many entries, in bytes; exact but for a policy
  // with a rate.
  virtual size_t CalculateSpace(size_t entries) LINEBLOOM_OVERRIDE_10_9;

  // The rate to expect of a block of `bytes` bytes with so many entries.
  virtual double EstimatedFpRate(size_t entries,
                                 size_t bytes) LINEBLOOM_OVERRIDE_10_9;

 private:
  uint64_t Hash(const rocksdb::Slice& key) const;
  void Add(uint64_t hash);
  size_t LinesIn(size_t bytes) const;  // whole lines of a block of that size

  FilterSettings settings_;
  bool detect_corruption_;
  HashList hashes_;
  uint64_t hashes_xor_ = 0;  // to notice a hash that changed in memory
  std::optional<uint64_t> last_key_;
  std::optional<uint64_t> last_alt_;
  HashList hashes_to_verify_;
};

}  // namespace linebloom
