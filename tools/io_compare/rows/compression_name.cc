#include "tools/io_compare/rows/compression_name.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "rocksdb/convenience.h"

namespace linebloom::tools {
namespace {

// Files of format version 7, RocksDB 11's default, have "MANAGER;TYPES;", where
// TYPES is two hexadecimal digits for each compression used: "BuiltinV2;04;".
rocksdb::CompressionType FirstOf(absl::string_view types) {
  uint32_t type = rocksdb::kNoCompression;
  if (!absl::SimpleHexAtoi(types.substr(0, 2), &type)) {
    return rocksdb::kNoCompression;
  }
  return static_cast<rocksdb::CompressionType>(type);
}

rocksdb::CompressionType Parse(absl::string_view name) {
  const std::vector<absl::string_view> fields = absl::StrSplit(name, ';');
  if (fields.size() > 1) return FirstOf(fields[1]);
  if (name == "Snappy") return rocksdb::kSnappyCompression;
  if (name == "Zlib") return rocksdb::kZlibCompression;
  if (name == "BZip2") return rocksdb::kBZip2Compression;
  if (name == "LZ4") return rocksdb::kLZ4Compression;
  if (name == "LZ4HC") return rocksdb::kLZ4HCCompression;
  if (name == "ZSTD") return rocksdb::kZSTD;
  return rocksdb::kNoCompression;
}

}  // namespace

rocksdb::CompressionType CompressionByName(absl::string_view name) {
  const rocksdb::CompressionType type = Parse(name);
  const std::vector<rocksdb::CompressionType> supported =
      rocksdb::GetSupportedCompressions();
  const bool can_write =
      std::find(supported.begin(), supported.end(), type) != supported.end();
  return can_write ? type : rocksdb::kNoCompression;
}

}  // namespace linebloom::tools
