// Filters that hash canonical bytes instead of the keys themselves
// (FilterPolicyOptions::canonical_key).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "filter_policy/rocksdb/filter_bits_builder.h"
#include "linebloom/filter_policy.h"

namespace linebloom {

// The number that stands for the function in filter blocks, from its name;
// never 0 (docs/format.md, "The hash of a key").
uint64_t CanonicalId(const CanonicalKey& canonical_key);

// Makes keys and prefixes canonical before it adds them. A class of its own, so
// that builders without a function don't look for one with each key.
class CanonicalFilterBitsBuilder final : public FilterBitsBuilder {
 public:
  // The rest as for FilterBitsBuilder; never null.
  CanonicalFilterBitsBuilder(std::shared_ptr<const CanonicalKey> canonical_key,
                             FilterPlan plan, bool detect_corruption);

  void AddKey(const rocksdb::Slice& key) override;
  void AddKeyAndAlt(const rocksdb::Slice& key,
                    const rocksdb::Slice& alt) override;

 private:
  const std::shared_ptr<const CanonicalKey> canonical_key_;
  std::string key_;  // canonical; kept for its memory
  std::string alt_;
};

// As NewFilterBitsReader() for CanonicalId() of the function, which is not
// null; makes keys canonical before it asks that reader.
std::unique_ptr<rocksdb::FilterBitsReader> NewCanonicalFilterBitsReader(
    std::shared_ptr<const CanonicalKey> canonical_key,
    const rocksdb::Slice& block, const rocksdb::FilterPolicy& built_in);

}  // namespace linebloom
