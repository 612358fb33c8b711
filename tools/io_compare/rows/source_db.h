// The rows, files and levels of an existing database.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/row_source.h"
#include "tools/io_compare/rows/shape.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {

// The default column family of a database that no process has open. Opens the
// database's files for reading only and changes nothing in its folder.
//
// Copies each file's level, entries (including deletions and merge operands)
// and compression, the comparator and the size of data blocks. Omits range
// deletions, and rows that are only in the write-ahead log.
class SourceDatabase : public RowSource {
 public:
  // `scratch` is a folder that this may use: files are copied there one at a
  // time and read entry by entry. InvalidArgument if `path` is not a database,
  // is open elsewhere, or has its own comparator; otherwise DataLoss or
  // RocksDB's errors.
  static absl::StatusOr<std::unique_ptr<SourceDatabase>> Open(
      const std::string& path, const std::filesystem::path& scratch);

  absl::Status ReadFile(
      size_t file, absl::FunctionRef<absl::Status(const Entry&)> sink) override;
  const rocksdb::Comparator* comparator() const override {
    return options_.comparator;
  }
  uint64_t block_size() const override { return block_size_; }
  uint64_t ApproximateBytes() const override { return bytes_; }

  // A uniform sample of `count` keys of live rows, or all if there are fewer.
  // Reads the whole database once.
  absl::StatusOr<KeyList> SampleKeys(uint64_t count, uint64_t seed);

  const Shape& shape() const { return shape_; }
  uint64_t range_deletions() const { return range_deletions_; }
  uint64_t rows_in_log_only() const { return rows_in_log_only_; }
  uint64_t largest_file_bytes() const { return largest_file_bytes_; }

 private:
  SourceDatabase(std::string path, std::filesystem::path scratch)
      : path_(std::move(path)), scratch_(std::move(scratch)) {}

  // The steps of Open().
  void LoadOptions();
  absl::Status OpenReadOnly();
  absl::Status PlanFiles();

  // Imports one of the source's files, alone, into `family`, a new column
  // family of the database in the scratch folder, which is opened on first use.
  absl::Status Import(const rocksdb::LiveFileMetaData& file,
                      rocksdb::ColumnFamilyHandle** family);

  const std::string path_;
  const std::filesystem::path scratch_;
  rocksdb::Options options_;  // required for reading
  uint64_t block_size_ = 4096;
  std::optional<ReadOnlyDatabase> source_;
  std::unique_ptr<rocksdb::DB> import_db_;
  std::vector<rocksdb::LiveFileMetaData> live_files_;  // in the order of files_
  Shape shape_;
  uint64_t bytes_ = 0;
  uint64_t largest_file_bytes_ = 0;
  uint64_t range_deletions_ = 0;
  uint64_t rows_in_log_only_ = 0;
};

}  // namespace linebloom::tools
