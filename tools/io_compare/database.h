// Builds the database of one policy, and opens it for measuring.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "tools/io_compare/rows/row_source.h"
#include "tools/shared/progress.h"

namespace linebloom::tools {

// Null for no filter.
using SharedPolicy = std::shared_ptr<const rocksdb::FilterPolicy>;

// Creates a database in `path`, which must not exist, with exactly the files
// that `rows` plans: all that RocksDB would decide on its own is switched off
// or prescribed, because it may depend on the size of the filters.
//
// `warm_up`, if any, is called before the last flush, which shows lookups to
// linebloom's listener; then all files below level 0 are rewritten in place.
absl::Status BuildDatabase(
    const RowSource& rows, const SharedPolicy& policy, const std::string& path,
    Progress* progress,
    const std::function<absl::Status(rocksdb::DB*)>& warm_up = nullptr);

// Looks all of `lookups` up in `db`, with `threads` threads, so that a
// heat-aware policy learns where lookups fall.
absl::Status WarmUp(rocksdb::DB* db, const Keys& lookups, uint32_t threads,
                    Progress* progress);

// Opens the database read-only for measuring, with all files open, their
// filters and indexes in memory, statistics and a block cache of `cache_bytes`.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForMeasuring(
    const RowSource& rows, const SharedPolicy& policy, const std::string& path,
    uint64_t cache_bytes, bool direct_io);

}  // namespace linebloom::tools
