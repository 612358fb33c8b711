// RocksDB databases: their locks, options and SSTables, and opening them for
// reading without leaving a trace.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "table/status.h"  // FromRocksDb()

namespace linebloom::tools {

// InvalidArgument if `folder` is not a RocksDB database.
absl::Status CheckIsDatabase(const std::string& folder);

// InvalidArgument if it is not a database or is locked, with the process ID if
// the system reveals it. Changes nothing. Opening for reading ignores locks.
absl::Status CheckUnlockedDatabase(const std::string& folder);

struct StoredOptions {
  rocksdb::DBOptions db;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
};

// The path of the newest OPTIONS file in `folder`.
absl::StatusOr<std::string> NewestOptions(const std::string& folder);

// Reads the newest OPTIONS file in `folder`. Omits plug-ins that this program
// lacks. Uses RocksDB's defaults if the file is missing or unreadable.
StoredOptions LoadOptionsLeniently(const std::string& folder);

// Reads them for opening the database for writing. That replaces its OPTIONS,
// so nothing may be omitted: InvalidArgument names what is missing, or a number
// that RocksDB reads as another.
absl::StatusOr<StoredOptions> LoadOptionsOrFail(const std::string& folder);

enum class Logs {
  kRead,
  // Write-ahead logs appear empty: otherwise RocksDB reads all of them when it
  // opens a database, however large. It reads no SSTable then, either.
  kEmpty,
};

// Drops every message. If an `info_log` is set, RocksDB creates neither a LOG
// file nor its folder, which matters for databases that must only be read.
class QuietLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

// RocksDB's operator that keeps the newest operand. Rows remain rows and files
// remain files, which is enough for counting reads; values are not those of the
// application.
std::shared_ptr<rocksdb::MergeOperator> LastOperand();

// Works while another process has the database open: ignores the lock and
// changes no byte in the folder. Move-only.
class ReadOnlyDatabase {
 public:
  // To find the SSTables: all column families, with as few options as possible,
  // no logs. InvalidArgument if `folder` is no database or needs a comparator
  // that this program lacks; else RocksDB's errors.
  static absl::StatusOr<ReadOnlyDatabase> Open(const std::string& folder);

  // Opens it with these options and column families. With empty logs, for a
  // database that may be open elsewhere, omits what costs memory or time.
  static absl::StatusOr<ReadOnlyDatabase> Open(const std::string& folder,
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

// The level of files that don't come from a database.
inline constexpr int kNoLevel = -1;

struct LiveFile {
  std::string path;
  std::string column_family;
  int level = kNoLevel;
  uint64_t bytes = 0;
};

// The live SSTables of `folder`: column families by age, then levels, newest
// first in L0. Errors as of ReadOnlyDatabase::Open().
absl::StatusOr<std::vector<LiveFile>> ListLiveFiles(const std::string& folder);

}  // namespace linebloom::tools
