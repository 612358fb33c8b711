// Reads files through the database's own file system.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "rocksdb/file_system.h"
#include "table/random_access.h"

namespace linebloom {

// Opens a file for reading. Files in memory or stored encrypted look as they do
// to the database. `file_system` must outlive the result. Returns NotFound if
// the file doesn't exist.
absl::StatusOr<std::unique_ptr<RandomAccess>> OpenFile(
    rocksdb::FileSystem* file_system, const std::string& path);

}  // namespace linebloom
