// A database opened for reading, without a trace in its folder.
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

// Works while another process has the database open: it neither looks at the
// lock nor changes a byte in the folder. Move-only.
class ReadOnlyDatabase {
 public:
  // To learn which SSTables the database in `folder` has: all column families,
  // with as little of their options as that takes, and write-ahead logs unread.
  // InvalidArgument, which names `flag`, where `folder` is no database or has a
  // comparator of its own that this program lacks; others as RocksDB says.
  static absl::StatusOr<ReadOnlyDatabase> Open(absl::string_view flag,
                                               const std::string& folder);

  // With these options and column families. With empty logs, for a database
  // that may be open elsewhere, what costs memory or time is left out.
  static absl::StatusOr<ReadOnlyDatabase> Open(absl::string_view flag,
                                               const std::string& folder,
                                               const StoredOptions& options,
                                               Logs logs);

  ReadOnlyDatabase(ReadOnlyDatabase&& other) = default;
  ReadOnlyDatabase& operator=(ReadOnlyDatabase&& other) = delete;
  ~ReadOnlyDatabase();

  rocksdb::DB* db() const { return db_.get(); }
  // The column families, by default in the order in which they were made.
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
