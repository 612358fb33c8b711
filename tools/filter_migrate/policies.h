// Chooses the filters that the files are to get.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"

namespace linebloom::tools {

struct FilterMigrateConfig {
  std::string db;
  std::string column_family;  // "" for all
  std::string policy;         // "": see ChoosePolicy()
  std::string line;           // "" for the policy's own
  double worst_rate = 0;
  uint64_t bytes_per_second = 0;
  bool dry_run = false;
};

using FilterPolicyPtr = std::shared_ptr<const rocksdb::FilterPolicy>;

// The policy for a column family with these stored options: --policy, else its
// own linebloom policy, else linebloom with the bits of its Bloom filter, else
// linebloom:10; with the line of --line. InvalidArgument if a flag is invalid.
absl::StatusOr<FilterPolicyPtr> ChoosePolicy(
    const FilterMigrateConfig& config,
    const rocksdb::ColumnFamilyOptions& stored);

// Sets the policy of block-based tables; other tables stay unchanged.
void SetPolicy(FilterPolicyPtr policy, rocksdb::ColumnFamilyOptions* options);

// For example "linebloom:10, solved", or "bloomfilter:10:false, RocksDB's own".
std::string PolicyText(const rocksdb::FilterPolicy& policy);

}  // namespace linebloom::tools
