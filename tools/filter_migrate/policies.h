// Chooses the filters that the files are to get.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/options.h"
#include "tools/filter_migrate/config.h"

namespace linebloom::tools {

// The policy for a column family with these stored options: --policy, else its
// own linebloom policy, else linebloom with the bits per key of its RocksDB
// Bloom filter, else linebloom:10; with the line of --line. InvalidArgument if
// a flag is invalid.
absl::StatusOr<FilterPolicyOptions> ChoosePolicy(
    const FilterMigrateConfig& config,
    const rocksdb::ColumnFamilyOptions& stored);

// Sets the policy of block-based tables; other tables stay unchanged.
void SetPolicy(const FilterPolicyOptions& policy,
               rocksdb::ColumnFamilyOptions* options);

// For example "linebloom:10, solved".
std::string PolicyText(const FilterPolicyOptions& policy);

}  // namespace linebloom::tools
