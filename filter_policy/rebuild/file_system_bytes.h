// Files as the database's own file system has them.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "rocksdb/file_system.h"
#include "table/random_access.h"

namespace linebloom {

// Opens a file for reading: one in memory, or one that is stored encrypted,
// looks as it does to the database. `file_system` has to outlive it. NotFound
// where there is no such file.
absl::StatusOr<std::unique_ptr<RandomAccess>> OpenFile(
    rocksdb::FileSystem* file_system, const std::string& path);

}  // namespace linebloom
