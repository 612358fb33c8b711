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
//
// Works while another process has the database open: it neither looks at the
// lock nor changes a byte in the folder. Write-ahead logs stay unread, for they
// have no filters and may be large.
//
// InvalidArgument where `folder` is no database, has no such column family, or
// has a comparator of its own that this program lacks; others as RocksDB says.
absl::StatusOr<std::vector<LiveFile>> ListLiveFiles(
    const std::string& folder, const std::string& column_family);

}  // namespace linebloom::tools
