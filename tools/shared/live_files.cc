#include "tools/shared/live_files.h"

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "table/status.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {
namespace {

// RocksDB names every table .sst, and where there is none opens one that is
// named .ldb, by LevelDB or by RocksDB before 2.8.
std::string PathOf(const rocksdb::SstFileMetaData& file) {
  const std::string path =
      absl::StrCat(file.directory, "/", file.relative_filename);
  const std::string older =
      absl::StrCat(absl::StripSuffix(path, ".sst"), ".ldb");
  std::error_code ignored;
  return !std::filesystem::exists(path, ignored) &&
                 std::filesystem::exists(older, ignored)
             ? older
             : path;
}

}  // namespace

absl::StatusOr<std::vector<LiveFile>> ListLiveFiles(
    absl::string_view flag, const std::string& folder,
    const std::string& column_family) {
  ASSIGN_OR_RETURN(const ReadOnlyDatabase database,
                   ReadOnlyDatabase::Open(flag, folder));
  std::vector<LiveFile> files;
  std::vector<std::string> names;
  bool found = false;
  for (rocksdb::ColumnFamilyHandle* family : database.families()) {
    names.push_back(family->GetName());
    if (!column_family.empty() && names.back() != column_family) continue;
    found = true;
    rocksdb::ColumnFamilyMetaData metadata;
    database.db()->GetColumnFamilyMetaData(family, &metadata);
    for (const rocksdb::LevelMetaData& level : metadata.levels) {
      for (const rocksdb::SstFileMetaData& file : level.files) {
        files.push_back({PathOf(file), names.back(), level.level,
                         file.smallestkey, file.largestkey,
                         family->GetComparator()});
      }
    }
  }
  if (!found) {
    return absl::InvalidArgumentError(
        absl::StrCat("--column_family='", column_family, "': '", folder,
                     "' has ", absl::StrJoin(names, ", ")));
  }
  return files;
}

}  // namespace linebloom::tools
