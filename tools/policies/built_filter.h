// Filters built to be looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "rocksdb/filter_policy.h"

namespace linebloom::tools {

// The filter block that `policy` gives an SSTable of `keys` generated keys, of
// the size that RocksDB computes for it: optimize_filters_for_memory is off.
// The table is built in memory. (The filter builders themselves are not in
// RocksDB's public interface.)
absl::StatusOr<std::string> BuildFilterBlock(
    std::shared_ptr<const rocksdb::FilterPolicy> policy, uint64_t keys);

}  // namespace linebloom::tools
