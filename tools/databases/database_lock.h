// Whether another process has a RocksDB database open.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace linebloom::tools {

// InvalidArgument if `folder` is not a RocksDB database.
absl::Status CheckIsDatabase(const std::string& folder);

// InvalidArgument if `folder` is not a RocksDB database or is locked by another
// process, with that process's id where the system tells it. Neither takes the
// lock nor changes a file: opening for reading only, as RocksDB offers it,
// looks at no lock at all.
absl::Status CheckUnlockedDatabase(const std::string& folder);

}  // namespace linebloom::tools
