// The live files of a database, from its manifest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace linebloom::tools {

// Of a file that was not taken from a database.
inline constexpr int kNoLevel = -1;

struct LiveFile {
  std::string path;
  std::string column_family;
  int level = kNoLevel;
};

// The live SSTables of the database in `folder`: by column family in the order
// in which they were made, then by level, in L0 the newest first, below by the
// order of the keys. `column_family` chooses one, "" all.
// The database is only read, and may be open elsewhere.
//
// InvalidArgument where `folder` has no such column family; others are those of
// ReadOnlyDatabase.
absl::StatusOr<std::vector<LiveFile>> ListLiveFiles(
    const std::string& folder, const std::string& column_family);

}  // namespace linebloom::tools
