// Opens a database to find its SSTables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"

namespace linebloom::tools {

// Works while another process has the database open: ignores the lock and
// changes no byte in the folder. Doesn't read write-ahead logs, which have no
// filters and may be large. Move-only.
class ReadOnlyDatabase {
 public:
  // InvalidArgument if `folder` is not a database or needs a comparator that
  // this program lacks; otherwise RocksDB's errors.
  static absl::StatusOr<ReadOnlyDatabase> Open(const std::string& folder);

  ReadOnlyDatabase(ReadOnlyDatabase&& other) = default;
  ReadOnlyDatabase& operator=(ReadOnlyDatabase&& other) = delete;
  ~ReadOnlyDatabase();

  rocksdb::DB* db() const { return db_.get(); }
  // All column families, in order of creation.
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const {
    return families_;
  }

 private:
  ReadOnlyDatabase() = default;
  rocksdb::Status OpenOnce(const std::string& folder);

  // Declared in this order because the Env must outlive the database.
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

}  // namespace linebloom::tools
