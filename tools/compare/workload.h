// Decides which rows to load, which may be those of an existing database, and
// which keys to look up.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "rocksdb/compression_type.h"
#include "tools/compare/keys.h"
#include "tools/compare/report.h"
#include "tools/compare/row_source.h"

namespace linebloom::tools {

// The compression in TableProperties::compression_name of any RocksDB, the
// first of several; kNoCompression if this RocksDB doesn't support it.
rocksdb::CompressionType CompressionByName(absl::string_view name);

struct Workload {
  RowSource rows;
  LookupMix mix;
  KeyList lookups;
  // What all policies have in common, for the report.
  Json facts;
  Shape expected_shape;  // of --source_db; otherwise empty
  std::vector<std::string> notes;
};

// According to the flags: generated rows, those of a key file, or those of a
// database. `scratch` is a folder that this may use. Errors name the flag.
//
// A database is its default column family. No process may have it open, and
// nothing in its folder changes. The copies have each file's level, entries and
// compression, the comparator and the size of data blocks, but neither range
// deletions nor rows that are only in the write-ahead log.
absl::StatusOr<Workload> MakeWorkload(const CompareConfig& config,
                                      const std::filesystem::path& scratch);

}  // namespace linebloom::tools
