// Reads the name of an SSTable's compression.
#pragma once

#include "absl/strings/string_view.h"
#include "rocksdb/compression_type.h"

namespace linebloom::tools {

// The compression in rocksdb::TableProperties::compression_name, as written by
// any version of RocksDB; the first of several. Returns kNoCompression if the
// name is unknown or if this RocksDB doesn't support the compression.
rocksdb::CompressionType CompressionByName(absl::string_view name);

}  // namespace linebloom::tools
