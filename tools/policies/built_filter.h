// Builds filters in order to inspect them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "rocksdb/filter_policy.h"

namespace linebloom::tools {

// The filter block that `policy` gives an SSTable of `keys` generated keys, at
// the size that RocksDB computes: optimize_filters_for_memory is off. The table
// is built in memory. (RocksDB's public interface doesn't offer the filter
// builders.)
absl::StatusOr<std::string> BuildFilterBlock(
    std::shared_ptr<const rocksdb::FilterPolicy> policy, uint64_t keys);

}  // namespace linebloom::tools
