// The options that a database was opened with last.
#pragma once

#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"

namespace linebloom::tools {

struct StoredOptions {
  rocksdb::DBOptions db;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
};

// Reads the newest OPTIONS file in `folder` through `env`. Plug-ins that this
// program does not have are left out, and so is a file that is not there or not
// readable: RocksDB's defaults have to do then.
StoredOptions LoadStoredOptions(const std::string& folder, rocksdb::Env* env);

}  // namespace linebloom::tools
