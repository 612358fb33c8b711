#include "tools/filter_dump/live_files.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "tools/database_lock.h"
#include "tools/filter_dump/logless_file_system.h"
#include "tools/quiet_logger.h"
#include "tools/rocksdb_status.h"
#include "tools/stored_options.h"

namespace linebloom::tools {
namespace {

using rocksdb::LiveFileMetaData;

// Of a database without an OPTIONS file. Too many cost nothing, too few are an
// error.
constexpr int kMostLevels = 64;

// How often the manifest is read again where its owner changes it under us.
constexpr int kAttempts = 5;

// What the manifest says.
struct Contents {
  std::vector<std::string> families;
  std::vector<LiveFileMetaData> files;
};

// Opening looks at no SSTable but the few that RocksDB always opens.
rocksdb::DBOptions CheapOptions(const StoredOptions& stored,
                                rocksdb::Env* env) {
  rocksdb::DBOptions options;
  options.env = env;
  options.db_paths = stored.db.db_paths;
  options.wal_dir = stored.db.wal_dir;
  options.info_log = std::make_shared<QuietLogger>();
  options.max_open_files = 1;
  options.skip_stats_update_on_db_open = true;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  // A file that a compaction takes away meanwhile is no error here.
  options.paranoid_checks = false;
  // RocksDB 7.8 crashes without it where the manifest tracks the logs.
  options.track_and_verify_wals_in_manifest = true;
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> Describe(
    const std::vector<std::string>& families, const StoredOptions& stored) {
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& family : families) {
    rocksdb::ColumnFamilyOptions options;
    options.num_levels = kMostLevels;
    for (const rocksdb::ColumnFamilyDescriptor& known : stored.families) {
      if (known.name != family) continue;
      options.comparator = known.options.comparator;
      options.cf_paths = known.options.cf_paths;
      options.num_levels = known.options.num_levels;
    }
    descriptors.emplace_back(family, options);
  }
  return descriptors;
}

rocksdb::Status ReadManifest(const std::string& folder, Contents* contents) {
  const std::unique_ptr<rocksdb::Env> env =
      rocksdb::NewCompositeEnv(std::make_shared<LoglessFileSystem>());
  const StoredOptions stored = LoadStoredOptions(folder, env.get());
  const rocksdb::DBOptions options = CheapOptions(stored, env.get());
  rocksdb::Status status =
      rocksdb::DB::ListColumnFamilies(options, folder, &contents->families);
  if (!status.ok()) return status;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  status = rocksdb::DB::OpenForReadOnly(
      options, folder, Describe(contents->families, stored), &handles, &opened);
  if (!status.ok()) return status;
  const std::unique_ptr<rocksdb::DB> db(opened);
  db->GetLiveFilesMetaData(&contents->files);
  for (auto* handle : handles) (void)db->DestroyColumnFamilyHandle(handle);
  return status;
}

absl::Status Explain(const rocksdb::Status& status, const std::string& folder) {
  const std::string what = absl::StrCat("cannot read --db='", folder, "'");
  if (absl::StrContains(status.ToString(), "comparator")) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": it has a comparator that this program lacks (",
        status.ToString(), "); name its files with --file instead"));
  }
  return FromRocksDb(status, what);
}

}  // namespace

absl::StatusOr<std::vector<LiveFile>> ListLiveFiles(
    const std::string& folder, const std::string& column_family) {
  absl::Status is_database = CheckIsDatabase(folder);
  if (!is_database.ok()) {
    return absl::Status(is_database.code(),
                        absl::StrCat("--db: ", is_database.message()));
  }
  Contents contents;
  rocksdb::Status status;
  for (int i = 0; i < kAttempts; ++i) {
    contents = {};
    status = ReadManifest(folder, &contents);
    if (!status.IsIOError() && !status.IsCorruption()) break;
  }
  if (!status.ok()) return Explain(status, folder);

  const auto& families = contents.families;
  const auto place_of = [&families](const std::string& family) {
    return std::find(families.begin(), families.end(), family) -
           families.begin();
  };
  if (!column_family.empty() &&
      place_of(column_family) == std::ssize(families)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--column_family='", column_family, "': '", folder,
                     "' has ", absl::StrJoin(families, ", ")));
  }
  // Within a family RocksDB has them in order.
  std::stable_sort(contents.files.begin(), contents.files.end(),
                   [&](const LiveFileMetaData& a, const LiveFileMetaData& b) {
                     return place_of(a.column_family_name) <
                            place_of(b.column_family_name);
                   });
  std::vector<LiveFile> files;
  for (const LiveFileMetaData& file : contents.files) {
    if (column_family.empty() || file.column_family_name == column_family) {
      files.push_back(
          {absl::StrCat(file.directory, "/", file.relative_filename),
           file.column_family_name, file.level});
    }
  }
  return files;
}

}  // namespace linebloom::tools
