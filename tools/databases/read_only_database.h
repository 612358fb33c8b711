// Opens a database for reading without leaving a trace in its folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "tools/databases/read_only_env.h"
#include "tools/databases/stored_options.h"

namespace linebloom::tools {

// Works while another process has the database open: ignores the lock and
// changes no byte in the folder. Move-only.
class ReadOnlyDatabase {
 public:
  // To find the SSTables of the database in `folder`: opens all column
  // families, with as few of their options as possible, and reads no
  // write-ahead logs. InvalidArgument, which names `flag`, if `folder` is not a
  // database or needs a comparator that this program lacks; otherwise RocksDB's
  // errors.
  static absl::StatusOr<ReadOnlyDatabase> Open(absl::string_view flag,
                                               const std::string& folder);

  // Opens it with these options and column families. With empty logs, for a
  // database that may be open elsewhere, omits what costs memory or time.
  static absl::StatusOr<ReadOnlyDatabase> Open(absl::string_view flag,
                                               const std::string& folder,
                                               const StoredOptions& options,
                                               Logs logs);

  ReadOnlyDatabase(ReadOnlyDatabase&& other) = default;
  ReadOnlyDatabase& operator=(ReadOnlyDatabase&& other) = delete;
  ~ReadOnlyDatabase();

  rocksdb::DB* db() const { return db_.get(); }
  // The column families, by default in order of creation.
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const {
    return families_;
  }

 private:
  ReadOnlyDatabase() = default;
  rocksdb::Status OpenOnce(const std::string& folder,
                           const StoredOptions& options, Logs logs);

  // Declared in this order because the Env must outlive the database.
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

}  // namespace linebloom::tools
