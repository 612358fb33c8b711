// Whether filters and indexes fit into the block cache that they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "rocksdb/table.h"

namespace linebloom::tools {

// A sentence if the whole filters and indexes of the database in `folder` don't
// fit into the block cache: their sizes, what partitions would read, and what
// to do; else "". `table` says how the cache is used, by default the stored
// options; `cache_bytes` its size, by default what the info log says. Without
// either, or if filters aren't in the cache, "". Errors as ReadTreeFacts().
absl::StatusOr<std::string> NoteOnCacheFit(
    const std::string& folder,
    const rocksdb::BlockBasedTableOptions* table = nullptr,
    std::optional<uint64_t> cache_bytes = std::nullopt);

}  // namespace linebloom::tools
