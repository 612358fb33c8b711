// Reads a database without leaving a trace.
#pragma once

#include <memory>

#include "rocksdb/env.h"
#include "rocksdb/status.h"

namespace linebloom::tools {

enum class Logs {
  kRead,
  // Write-ahead logs appear empty: otherwise RocksDB reads all of them when it
  // opens a database, however large.
  kEmpty,
};

// An Env in which no file can be created, changed or removed (except by
// FileSystem::ReopenWritableFile, which no database calls).
// DB::OpenForReadOnly alone doesn't leave a folder unchanged: RocksDB removes
// files ending in ".trash" from any database it opens, and some versions write
// IDENTITY or a LOG.
rocksdb::Status NewReadOnlyEnv(Logs logs, std::unique_ptr<rocksdb::Env>* env);

}  // namespace linebloom::tools
