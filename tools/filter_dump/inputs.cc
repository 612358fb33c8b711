#include "tools/filter_dump/inputs.h"

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rocksdb/metadata.h"
#include "tools/shared/databases.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

// RocksDB has them in order.
void AppendFiles(const rocksdb::ColumnFamilyMetaData& family,
                 const rocksdb::Comparator* comparator,
                 std::vector<LiveFile>* files) {
  for (const rocksdb::LevelMetaData& level : family.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      files->push_back(
          {absl::StrCat(file.directory, "/", file.relative_filename),
           family.name, level.level, file.smallestkey, file.largestkey,
           comparator});
    }
  }
}

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
    AppendFiles(metadata, family->GetComparator(), &files);
  }
  if (!found) {
    return absl::InvalidArgumentError(
        absl::StrCat("--column_family='", column_family, "': '", folder,
                     "' has ", absl::StrJoin(names, ", ")));
  }
  return files;
}

}  // namespace

absl::StatusOr<std::vector<LiveFile>> ListInputs(
    const FilterDumpConfig& config) {
  if (!config.db.empty()) return ListLiveFiles(config.db, config.column_family);
  std::vector<LiveFile> files;
  for (const std::string& path : config.files) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", path, "' is a folder; for a database write --db=", path));
    }
    files.emplace_back().path = path;
  }
  return files;
}

void Failures::Add(const LiveFile& file, const absl::Status& status) {
  if (absl::IsNotFound(status) && !config_.db.empty()) {
    if (!CheckUnlockedDatabase("--db", config_.db).ok()) {
      notes_.push_back(absl::StrCat(file.path,
                                    " was deleted after the manifest was read, "
                                    "by the process that has the "
                                    "database open"));
      return;
    }
    AddProblem(absl::StrCat(file.path,
                            ": the manifest has this file, the "
                            "folder does not"));
    return;
  }
  problems_.emplace_back(status.message());
  (absl::IsDataLoss(status) ? found_something_ : bad_input_) = true;
}

int Failures::exit_code() const {
  if (bad_input_) return kExitBadInput;
  return found_something_ ? kExitFoundSomething : kExitFine;
}

}  // namespace linebloom::tools
