// The rows of a user's database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/compression_type.h"
#include "tools/compare/keys.h"
#include "tools/compare/row_source.h"

namespace linebloom::tools {

// The compression in TableProperties::compression_name of any RocksDB, the
// first of several; kNoCompression if this RocksDB doesn't support it.
rocksdb::CompressionType CompressionByName(absl::string_view name);

struct SourceRows {
  RowSource rows;
  KeyList sample;  // of the live rows' keys; all if there are fewer
};

// The default column family of the database at `path`, with each file's level,
// entries and compression, the comparator and the size of data blocks, but
// neither range deletions nor rows that are only in the write-ahead log; adds a
// sentence to `notes` for what is left out. Reads all of it for `sample` keys.
//
// No process may have it open, and nothing in its folder changes; `scratch` is
// a folder that this may use while `rows` lives. InvalidArgument if it isn't a
// RocksDB database or has no live rows, or files without properties.
absl::StatusOr<SourceRows> ReadDatabase(const std::string& path,
                                        const std::filesystem::path& scratch,
                                        uint64_t sample, uint64_t seed,
                                        std::vector<std::string>* notes);

}  // namespace linebloom::tools
