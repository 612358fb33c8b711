// Checks if another process has a RocksDB database open.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// InvalidArgument if `folder`, which `flag` named, is not a RocksDB database.
absl::Status CheckIsDatabase(absl::string_view flag, const std::string& folder);

// InvalidArgument if it is not a RocksDB database or is locked by another
// process; the message has the process ID if the system reveals it. Doesn't
// take the lock or change any file. Needed because RocksDB's opening for
// reading ignores locks.
absl::Status CheckUnlockedDatabase(absl::string_view flag,
                                   const std::string& folder);

}  // namespace linebloom::tools
