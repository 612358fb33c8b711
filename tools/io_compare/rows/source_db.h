// The rows, files and levels of an existing database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/compression_type.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/row_source.h"
#include "tools/io_compare/rows/shape.h"

namespace linebloom::tools {

// The default column family of a database that no process has open. Its files
// are only read, and nothing in its folder changes.
//
// The copies have each file's level, entries (including deletions and merge
// operands) and compression, the comparator and the size of data blocks, but
// neither range deletions nor rows that are only in the write-ahead log.
struct SourceDatabase {
  RowSource rows;
  Shape shape;
  uint64_t range_deletions = 0;
  uint64_t rows_in_log_only = 0;
  // Takes a uniform sample of `count` keys of live rows, or all if there are
  // fewer. Reads the whole database once.
  std::function<absl::StatusOr<KeyList>(uint64_t count, uint64_t seed)> sample;
};

// `scratch` is a folder that this may use: files are copied there one at a
// time and read entry by entry. InvalidArgument if `path` is not a database, is
// open elsewhere, or has its own comparator; otherwise DataLoss or RocksDB's
// errors.
absl::StatusOr<SourceDatabase> OpenSourceDatabase(
    const std::string& path, const std::filesystem::path& scratch);

// The compression in rocksdb::TableProperties::compression_name, as written by
// any version of RocksDB; the first of several. Returns kNoCompression if the
// name is unknown or if this RocksDB doesn't support the compression.
rocksdb::CompressionType CompressionByName(absl::string_view name);

}  // namespace linebloom::tools
