// The rows, files and levels of a database that exists.
#pragma once

#include <filesystem>
#include <memory>
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

namespace linebloom::tools {

// The default column family of a database that no process has open. Files of
// the database are opened for reading only; nothing in its folder changes.
//
// Taken over: each file's level, entries (deletions and merge operands too)
// and compression, the comparator and the size of data blocks. Not taken:
// range deletions, and rows that are only in the write-ahead log.
class SourceDatabase : public RowSource {
 public:
  // `scratch` is a folder of our own; files are copied there one at a time to
  // be read entry by entry. InvalidArgument where `path` is no database, is
  // open elsewhere, or has a comparator of its own; DataLoss and others as
  // RocksDB says.
  static absl::StatusOr<std::unique_ptr<SourceDatabase>> Open(
      const std::string& path, const std::filesystem::path& scratch);
  ~SourceDatabase() override;

  absl::Status ReadFile(
      size_t file, absl::FunctionRef<absl::Status(const Entry&)> sink) override;
  const rocksdb::Comparator* comparator() const override {
    return options_.comparator;
  }
  uint64_t block_size() const override { return block_size_; }
  uint64_t ApproximateBytes() const override { return bytes_; }

  // `count` of the live rows' keys, or all if there are fewer, any as likely as
  // any other. Reads the whole database once.
  absl::StatusOr<KeyList> SampleKeys(uint64_t count, uint64_t seed);

  const Shape& shape() const { return shape_; }
  uint64_t range_deletions() const { return range_deletions_; }
  uint64_t rows_in_log_only() const { return rows_in_log_only_; }
  uint64_t largest_file_bytes() const { return largest_file_bytes_; }

 private:
  SourceDatabase(std::string path, std::filesystem::path scratch)
      : path_(std::move(path)), scratch_(std::move(scratch)) {}

  // Steps of Open.
  void LoadOptions();
  absl::Status OpenReadOnly();
  absl::Status PlanFiles();

  // Puts one of the source's files, alone, into `family`, a new column family
  // of the database in the scratch folder, which is opened at first use.
  absl::Status Import(const rocksdb::LiveFileMetaData& file,
                      rocksdb::ColumnFamilyHandle** family);

  const std::string path_;
  const std::filesystem::path scratch_;
  rocksdb::Options options_;  // that reading needs
  uint64_t block_size_ = 4096;
  std::unique_ptr<rocksdb::Env> read_only_env_;
  std::unique_ptr<rocksdb::DB> db_;
  std::unique_ptr<rocksdb::DB> import_db_;
  std::vector<rocksdb::LiveFileMetaData> live_files_;  // as files_
  Shape shape_;
  uint64_t bytes_ = 0;
  uint64_t largest_file_bytes_ = 0;
  uint64_t range_deletions_ = 0;
  uint64_t rows_in_log_only_ = 0;
};

}  // namespace linebloom::tools
