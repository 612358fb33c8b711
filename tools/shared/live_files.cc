#include "tools/shared/live_files.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {

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
        files.push_back({PathOf(database.db(), file), names.back(), level.level,
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
