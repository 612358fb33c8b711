// Which filters the files are to get.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/options.h"
#include "tools/filter_migrate/config.h"

namespace linebloom::tools {

// The policy for a column family with these stored options: that of --policy;
// else the linebloom policy that it has; else linebloom with as many bits per
// key as the RocksDB Bloom filter that it has; else linebloom:10. With the
// line of --line. InvalidArgument where a flag is wrong.
absl::StatusOr<FilterPolicyOptions> ChoosePolicy(
    const FilterMigrateConfig& config,
    const rocksdb::ColumnFamilyOptions& stored);

// Gives block-based tables the policy; others stay as they are.
void SetPolicy(const FilterPolicyOptions& policy,
               rocksdb::ColumnFamilyOptions* options);

// "linebloom:10, solved".
std::string PolicyText(const FilterPolicyOptions& policy);

}  // namespace linebloom::tools
