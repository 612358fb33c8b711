// The options that a database was last opened with.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"

namespace linebloom::tools {

struct StoredOptions {
  rocksdb::DBOptions db;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
};

// Reads the newest OPTIONS file in `folder`. Omits plug-ins that this program
// lacks. Uses RocksDB's defaults if the file is missing or unreadable.
StoredOptions LoadStoredOptions(const std::string& folder);

// The same for programs that open the database for writing, which replaces its
// OPTIONS, so nothing may be omitted. InvalidArgument, with what is missing, if
// this program lacks a plug-in or option, or if there is no OPTIONS file.
absl::StatusOr<StoredOptions> LoadAllStoredOptions(const std::string& folder);

}  // namespace linebloom::tools
