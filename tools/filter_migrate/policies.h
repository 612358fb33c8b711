// Chooses the filters that the files are to get.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "tools/filter_migrate/config.h"

namespace linebloom::tools {

using FilterPolicyPtr = std::shared_ptr<const rocksdb::FilterPolicy>;

// The policy for a column family with these stored options: --policy, else its
// own linebloom policy, else linebloom with the bits per key of its RocksDB
// Bloom filter, else linebloom:10; with the line of --line. InvalidArgument if
// a flag is invalid.
absl::StatusOr<FilterPolicyPtr> ChoosePolicy(
    const FilterMigrateConfig& config,
    const rocksdb::ColumnFamilyOptions& stored);

// Sets the policy of block-based tables; other tables stay unchanged.
void SetPolicy(FilterPolicyPtr policy, rocksdb::ColumnFamilyOptions* options);

// For example "linebloom:10, solved", or "bloomfilter:10:false, RocksDB's own".
std::string PolicyText(const rocksdb::FilterPolicy& policy);

}  // namespace linebloom::tools
