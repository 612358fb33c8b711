// RocksDB's builder interface over BuildFilter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/hash_list.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/hash.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"

namespace linebloom {

// Sets `canonical` to the bytes that the function makes of the key.
void MakeCanonical(const CanonicalKey& canonical_key, const rocksdb::Slice& key,
                   std::string* canonical);

// Collects the hashes of keys and prefixes. Each Finish builds a block of them
// and starts over, as partitioned filters require. Belongs to one thread.
class LineFilterBitsBuilder final : public FilterBitsBuilderOfAnyVersion {
 public:
  // The request is AsBuilt(). `rounding` is null for none. `detect_corruption`
  // is the table option detect_filter_construct_corruption: keeps the hashes
  // until MaybePostVerify has found each of them in the finished block.
  LineFilterBitsBuilder(
      const FilterRequest& request,
      std::shared_ptr<AllocationRounding> rounding, bool detect_corruption,
      std::shared_ptr<const CanonicalKey> canonical_key = nullptr);

  // Ignores a key that repeats the previous one.
  void AddKey(const rocksdb::Slice& key) override;

  // Adds a key and its alternative, usually its prefix. In adjacent calls,
  // ignores repeats of the key, of the alternative, and between the two.
  void AddKeyAndAlt(const rocksdb::Slice& key,
                    const rocksdb::Slice& alt) override;

  // Entries without repeats; 0 if and only if nothing was added.
  size_t EstimateEntriesAdded() override;

  using FilterBitsBuilderOfAnyVersion::Finish;  // with a status, always OK
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf) override;
  rocksdb::Status MaybePostVerify(const rocksdb::Slice& block) override;

  // The most entries whose block has at most `bytes` bytes.
  size_t ApproximateNumEntries(size_t bytes) override;

  // The size in bytes of a block with this many entries. Approximate where
  // filters are rounded to the allocator's sizes.
  size_t CalculateSpace(size_t entries) override;

  // The expected rate of a block of `bytes` bytes with this many entries.
  double EstimatedFpRate(size_t entries, size_t bytes) override;

 private:
  uint64_t HashOf(const rocksdb::Slice& key);
  void Add(uint64_t hash);
  // The whole lines of a block of that size.
  uint32_t NumLinesInBlock(size_t bytes) const;

  const FilterRequest request_;
  const std::shared_ptr<AllocationRounding> rounding_;
  KeyHash hash_;
  bool detect_corruption_;
  const std::shared_ptr<const CanonicalKey> canonical_key_;
  std::string canonical_;  // kept for its memory
  HashList hashes_;
  uint64_t hashes_xor_ = 0;  // to detect hashes that change in memory
  std::optional<uint64_t> last_key_;
  std::optional<uint64_t> last_alt_;
  HashList hashes_to_verify_;
  uint64_t xor_to_verify_ = 0;
};

}  // namespace linebloom
