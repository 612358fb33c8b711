// The SSTables of a database, as its manifest lists them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/comparator.h"

namespace linebloom::tools {

// The level of files that don't come from a database.
inline constexpr int kNoLevel = -1;

struct LiveFile {
  std::string path;
  std::string column_family;
  int level = kNoLevel;
  std::string smallest;  // key
  std::string largest;
  // Of a file from a database; it lives as long as the program.
  const rocksdb::Comparator* comparator = nullptr;
};

// The live SSTables of `folder`: column families by age, then levels, newest
// first in L0. Of `column_family` alone unless that is empty; InvalidArgument
// if there is none of that name. Else the errors of ReadOnlyDatabase::Open();
// `flag` named the folder.
absl::StatusOr<std::vector<LiveFile>> ListLiveFiles(
    absl::string_view flag, const std::string& folder,
    const std::string& column_family);

}  // namespace linebloom::tools
