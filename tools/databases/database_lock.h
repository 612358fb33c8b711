// Checks if another process has a RocksDB database open.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// InvalidArgument if `folder`, which `flag` named, is not a RocksDB database.
absl::Status CheckIsDatabase(absl::string_view flag, const std::string& folder);

// InvalidArgument if it is not a RocksDB database or is locked by another
// process, with that process's id where the system tells it. Neither takes the
// lock nor changes a file: opening for reading only, as RocksDB offers it,
// looks at no lock at all.
absl::Status CheckUnlockedDatabase(absl::string_view flag,
                                   const std::string& folder);

}  // namespace linebloom::tools
