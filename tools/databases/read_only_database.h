// A database opened to learn which SSTables it has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"

namespace linebloom::tools {

// Works while another process has the database open: it neither looks at the
// lock nor changes a byte in the folder. Write-ahead logs stay unread, for they
// have no filters and may be large. Move-only.
class ReadOnlyDatabase {
 public:
  // InvalidArgument where `folder` is no database or has a comparator of its
  // own that this program lacks; others as RocksDB says.
  static absl::StatusOr<ReadOnlyDatabase> Open(const std::string& folder);

  ReadOnlyDatabase(ReadOnlyDatabase&& other) = default;
  ReadOnlyDatabase& operator=(ReadOnlyDatabase&& other) = delete;
  ~ReadOnlyDatabase();

  rocksdb::DB* db() const { return db_.get(); }
  // All column families, in the order in which they were made.
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const {
    return families_;
  }

 private:
  ReadOnlyDatabase() = default;
  rocksdb::Status OpenOnce(const std::string& folder);

  // In this order: the Env has to outlive the database.
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

}  // namespace linebloom::tools
