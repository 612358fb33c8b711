// Decides which rows to load, which may be those of an existing database, and
// which keys to look up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/compression_type.h"
#include "tools/io_compare/report/report.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/row_source.h"

namespace linebloom::tools {

// The default column family of a database that no process has open; nothing in
// its folder changes. The copies have each file's level, entries and
// compression, the comparator and the size of data blocks, but neither range
// deletions nor rows that are only in the write-ahead log.
struct SourceDatabase {
  RowSource rows;
  Shape shape;
  uint64_t range_deletions = 0;
  uint64_t rows_in_log_only = 0;
  // Takes a uniform sample of `count` keys of live rows, or all if there are
  // fewer. Reads the whole database once.
  std::function<absl::StatusOr<KeyList>(uint64_t count, uint64_t seed)> sample;
};

// Copies files into `scratch` one at a time. InvalidArgument if `path` is no
// database, open elsewhere, or has its own comparator; RocksDB's errors.
absl::StatusOr<SourceDatabase> OpenSourceDatabase(
    const std::string& path, const std::filesystem::path& scratch);

// The compression in TableProperties::compression_name of any RocksDB, the
// first of several; kNoCompression if this RocksDB doesn't support it.
rocksdb::CompressionType CompressionByName(absl::string_view name);

struct Workload {
  RowSource rows;
  LookupMix mix;
  KeyList lookups;
  WorkloadFacts facts;
  Shape expected_shape;  // of --source_db; otherwise empty
  std::vector<std::string> notes;
};

// According to the flags: generated rows, those of a key file, or those of a
// database. `scratch` is a folder that this may use. Errors name the flag.
absl::StatusOr<Workload> MakeWorkload(const IoCompareConfig& config,
                                      const std::filesystem::path& scratch);

}  // namespace linebloom::tools
