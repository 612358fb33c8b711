// Creates a Bloom filter where RocksDB's tests request a Ribbon filter or, by a
// function inside RocksDB, a filter of a given construction. Is preloaded
// before liblinebloom_override.so, which replaces every Bloom filter by
// linebloom's.
//
// The override leaves these alone: a user who requests a Ribbon filter gets
// one, and no application can call the other.
#include <memory>
#include <string>

#include "table/block_based/filter_policy_internal.h"

namespace ROCKSDB_NAMESPACE {

const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                          int /*bloom_before_level*/) {
  return NewBloomFilterPolicy(bloom_equivalent_bits_per_key);
}

std::shared_ptr<const FilterPolicy> BloomLikeFilterPolicy::Create(
    const std::string& /*name*/, double bits_per_key) {
  return std::shared_ptr<const FilterPolicy>(
      NewBloomFilterPolicy(bits_per_key));
}

}  // namespace ROCKSDB_NAMESPACE
