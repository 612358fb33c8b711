// Lets a heat-aware policy learn where lookups fall, and rewrites files so that
// their filters follow.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "rocksdb/db.h"
#include "tools/io_compare/rows/lookups.h"
#include "tools/io_compare/rows/row_source.h"
#include "tools/shared/progress.h"

namespace linebloom::tools {

// Looks all of `lookups` up in `db`, with `threads` threads.
absl::Status WarmUp(rocksdb::DB* db, const WarmLookups& lookups,
                    uint32_t threads, Progress* progress);

// Rewrites each file of `db` below level 0, one after the other, where it is:
// its rows, its level and its compression, as in `rows`, stay the same.
absl::Status RewriteFiles(rocksdb::DB* db, const RowSource& rows,
                          Progress* progress);

}  // namespace linebloom::tools
