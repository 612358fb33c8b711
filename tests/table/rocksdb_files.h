// Makes the installed RocksDB write the SSTables that the tests read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "table/format.h"
#include "table/sst_file.h"

namespace linebloom::testing {

enum class FilterContent { kWholeKeys, kPrefixes, kBoth };

inline constexpr char kLinebloom[] = "linebloom:10";

struct FileSpec {
  uint32_t format_version = 5;
  ChecksumType checksum_type = ChecksumType::kXxh3;
  FilterKind filter_kind = FilterKind::kFull;  // not kObsoleteBlockBased
  FilterContent content = FilterContent::kWholeKeys;
  std::string policy = "bloomfilter:10";
};

// Options to write uncompressed files according to `spec`. Partitions hold
// about 400 keys each.
rocksdb::Options MakeOptions(const FileSpec& spec);

// The i-th key in order, 10 bytes. Ten keys have the same prefix.
std::string KeyAt(int i);

// Writes keys 0 to count - 1 to a file with SstFileWriter. Like all functions
// here, fails the test on errors.
void WriteSst(const std::string& path, const FileSpec& spec, int count);

// Rewrites all files, into the last level.
void FlushAndCompact(rocksdb::DB* db);

// Writes keys 0 to count - 1, half of them compacted into the last level and
// half flushed.
void WriteRows(rocksdb::DB* db, int count);

// Fails the test unless OK.
void Check(const rocksdb::Status& status);

// Opens the database in `dir`, makes it if need be.
std::unique_ptr<rocksdb::DB> OpenDb(rocksdb::Options options,
                                    const std::string& dir);

}  // namespace linebloom::testing
