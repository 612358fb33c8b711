// Building the database of one policy, and opening it for measuring.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "tools/command_line/progress.h"
#include "tools/io_compare/rows/row_source.h"

namespace linebloom::tools {

// What of a key is in the filters.
enum class FilterKeys {
  kCells,  // whole keys
  kRows,   // their first bytes alone
  kBoth,
};

struct Filtering {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;  // null: no filter
  FilterKeys keys = FilterKeys::kCells;
  size_t row_bytes = 0;  // of a key, which are its row; not used for kCells
};

// Makes a database in `path`, a folder to be created, with exactly the files
// that `rows` plans: whatever RocksDB would decide by itself, when to flush,
// what to compact, where to cut files, is switched off or given, since each of
// these can depend on the size of the filters.
absl::Status BuildDatabase(RowSource* rows, const Filtering& filtering,
                           const std::string& path, Progress* progress);

// Opens the database in `path` for measuring: for reading only, all files open,
// their filters and index blocks in memory, statistics counted, and a block
// cache of `cache_bytes`. With `direct_io` the page cache is not used.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForMeasuring(
    const RowSource& rows, const Filtering& filtering, const std::string& path,
    uint64_t cache_bytes, bool direct_io);

}  // namespace linebloom::tools
