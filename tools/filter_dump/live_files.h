// Lists the live files of a database, using its manifest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace linebloom::tools {

// The level of files that don't come from a database.
inline constexpr int kNoLevel = -1;

struct LiveFile {
  std::string path;
  std::string column_family;
  int level = kNoLevel;
};

// The live SSTables of the database in `folder`: by column family in the order
// of creation, then by level; newest first in L0 and in key order below.
// `column_family` selects one; "" means all. The database is only read, and may
// be open elsewhere.
//
// InvalidArgument if `folder` has no such column family; otherwise the errors
// of ReadOnlyDatabase.
absl::StatusOr<std::vector<LiveFile>> ListLiveFiles(
    const std::string& folder, const std::string& column_family);

}  // namespace linebloom::tools
