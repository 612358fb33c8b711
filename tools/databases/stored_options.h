// The options that a database was opened with last.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
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

// The same for a program that opens the database for writing, which replaces
// its OPTIONS: nothing may be left out. InvalidArgument, with what is missing,
// where this program lacks a plug-in or an option, or there is no OPTIONS file.
absl::StatusOr<StoredOptions> LoadAllStoredOptions(const std::string& folder);

}  // namespace linebloom::tools
