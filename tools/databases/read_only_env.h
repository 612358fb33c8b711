// Reading a database without a trace.
#pragma once

#include <memory>

#include "rocksdb/env.h"
#include "rocksdb/status.h"

namespace linebloom::tools {

enum class Logs {
  kRead,
  // Write-ahead logs look empty: RocksDB reads all of them when it opens a
  // database, whatever their size.
  kEmpty,
};

// An Env in which no file can be made, changed or removed (but for
// FileSystem::ReopenWritableFile, which no database calls).
// DB::OpenForReadOnly alone does not keep a folder as it is: RocksDB removes
// files ending in ".trash" in any database it opens, and some versions write
// IDENTITY or a LOG.
rocksdb::Status NewReadOnlyEnv(Logs logs, std::unique_ptr<rocksdb::Env>* env);

}  // namespace linebloom::tools
