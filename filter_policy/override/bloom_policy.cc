// Returns linebloom's policy when a program asks for RocksDB's Bloom filter.
#include <optional>
#include <string>

#include "filter_policy/override/override.h"
#include "filter_policy/policy/policy_for_c.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "linebloom/export.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/c.h"
#include "rocksdb/filter_policy.h"

namespace {

// Null to keep RocksDB's own policy.
const rocksdb::FilterPolicy* PolicyInsteadOf(double bits_per_key) {
  const std::optional<linebloom::FilterPolicyOptions> options =
      linebloom::OptionsInsteadOf(bits_per_key);
  if (!options) return nullptr;
  const rocksdb::FilterPolicy* const policy =
      linebloom::NewFilterPolicy(*options);
  linebloom::SayIfVerbose("the program asks for a Bloom filter of " +
                          linebloom::BitsPerKeyText(bits_per_key) +
                          " bits per key and gets " + policy->GetId());
  return policy;
}

rocksdb_filterpolicy_t* PolicyForCInsteadOf(
    rocksdb_filterpolicy_t* (*next)(double), double bits_per_key) {
  const rocksdb::FilterPolicy* const policy = PolicyInsteadOf(bits_per_key);
  if (policy == nullptr) return next(bits_per_key);
  return linebloom::PolicyForC(policy);
}

}  // namespace

namespace ROCKSDB_NAMESPACE {

LINEBLOOM_EXPORT const FilterPolicy* NewBloomFilterPolicy(
    double bits_per_key, bool use_block_based_builder) {
  static auto* const next = linebloom::NextFunction(&NewBloomFilterPolicy);
  // linebloom's own policy creates one of RocksDB's, to read RocksDB's filters.
  const bool for_linebloom =
      linebloom::IsInThisLibrary(__builtin_return_address(0));
  const FilterPolicy* const policy =
      for_linebloom ? nullptr : PolicyInsteadOf(bits_per_key);
  if (policy != nullptr) return policy;
  return next(bits_per_key, use_block_based_builder);
}

}  // namespace ROCKSDB_NAMESPACE

// RocksDB's function would wrap linebloom's policy, which works but loses its
// id, so the OPTIONS file would not contain its bits per key.
extern "C" LINEBLOOM_EXPORT rocksdb_filterpolicy_t*
rocksdb_filterpolicy_create_bloom(double bits_per_key) {
  static auto* const next =
      linebloom::NextFunction(&rocksdb_filterpolicy_create_bloom);
  return PolicyForCInsteadOf(next, bits_per_key);
}

extern "C" LINEBLOOM_EXPORT rocksdb_filterpolicy_t*
rocksdb_filterpolicy_create_bloom_full(double bits_per_key) {
  static auto* const next =
      linebloom::NextFunction(&rocksdb_filterpolicy_create_bloom_full);
  return PolicyForCInsteadOf(next, bits_per_key);
}
