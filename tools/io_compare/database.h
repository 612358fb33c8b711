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

// Creates a database in `path`, a folder that must not exist, with exactly the
// files that `rows` plans. Everything that RocksDB would decide on its own
// (when to flush, what to compact, where to cut files) is switched off or
// prescribed, because it may depend on the size of the filters.
//
// `warm_up`, if there is one, is called before the last file is flushed, and
// all files below level 0 are rewritten where they are after that: the flush
// lets linebloom's listener see what lookups there have been.
absl::Status BuildDatabase(
    const RowSource& rows, const SharedPolicy& policy, const std::string& path,
    Progress* progress,
    const std::function<absl::Status(rocksdb::DB*)>& warm_up = nullptr);

// Looks all of `lookups` up in `db`, with `threads` threads, so that a
// heat-aware policy learns where lookups fall.
absl::Status WarmUp(rocksdb::DB* db, const Keys& lookups, uint32_t threads,
                    Progress* progress);

// Opens the database in `path` for measuring: for reading only, all files open,
// their filters and index blocks in memory, with statistics and a block cache
// of `cache_bytes`. With `direct_io`, reads bypass the page cache.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForMeasuring(
    const RowSource& rows, const SharedPolicy& policy, const std::string& path,
    uint64_t cache_bytes, bool direct_io);

}  // namespace linebloom::tools
