// Checks if another process has a RocksDB database open.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace linebloom::tools {

// InvalidArgument if `folder` is not a RocksDB database.
absl::Status CheckIsDatabase(const std::string& folder);

// InvalidArgument if `folder` is not a RocksDB database or is locked by another
// process; the message has the process ID if the system reveals it. Doesn't
// take the lock or change any file. Needed because RocksDB's opening for
// reading ignores locks.
absl::Status CheckUnlockedDatabase(const std::string& folder);

}  // namespace linebloom::tools
