#include "tools/filter_dump/live_files.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rocksdb/metadata.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {
namespace {

// RocksDB has them in order.
void AppendFiles(const rocksdb::ColumnFamilyMetaData& family,
                 std::vector<LiveFile>* files) {
  for (const rocksdb::LevelMetaData& level : family.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      files->push_back(
          {absl::StrCat(file.directory, "/", file.relative_filename),
           family.name, level.level});
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<LiveFile>> ListLiveFiles(
    const std::string& folder, const std::string& column_family) {
  const absl::StatusOr<ReadOnlyDatabase> database =
      ReadOnlyDatabase::Open("--db", folder);
  if (!database.ok()) {
    const absl::string_view message = database.status().message();
    if (!absl::StrContains(message, "comparator")) return database.status();
    return absl::InvalidArgumentError(
        absl::StrCat(message, "; name its files with --file instead"));
  }
  std::vector<LiveFile> files;
  std::vector<std::string> names;
  bool found = false;
  for (rocksdb::ColumnFamilyHandle* family : database->families()) {
    names.push_back(family->GetName());
    if (!column_family.empty() && names.back() != column_family) continue;
    found = true;
    rocksdb::ColumnFamilyMetaData metadata;
    database->db()->GetColumnFamilyMetaData(family, &metadata);
    AppendFiles(metadata, &files);
  }
  if (!found) {
    return absl::InvalidArgumentError(
        absl::StrCat("--column_family='", column_family, "': '", folder,
                     "' has ", absl::StrJoin(names, ", ")));
  }
  return files;
}

}  // namespace linebloom::tools
