// A Bloom filter where RocksDB's tests ask for a Ribbon filter or, by a
// function inside RocksDB, for a filter of a given construction. For LD_PRELOAD
// before liblinebloom_override.so, which makes linebloom's of every Bloom
// filter.
//
// The override leaves these alone: a user who asks for a Ribbon filter gets
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
