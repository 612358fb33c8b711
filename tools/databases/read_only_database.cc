#include "tools/databases/read_only_database.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/options.h"
#include "tools/databases/database_lock.h"
#include "tools/databases/logless_file_system.h"
#include "tools/databases/quiet_logger.h"
#include "tools/databases/rocksdb_status.h"
#include "tools/databases/stored_options.h"

namespace linebloom::tools {
namespace {

// For a database without an OPTIONS file. Too many levels cost nothing; too few
// are an error.
constexpr int kMostLevels = 64;

// How often to reread the manifest while its owner changes it.
constexpr int kAttempts = 5;

// Opening reads no SSTables except the few that RocksDB always opens.
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
  // Compactions may remove files meanwhile; that is not an error.
  options.paranoid_checks = false;
  // Without this, RocksDB 7.8 crashes if the manifest tracks the logs.
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

absl::Status Explain(const rocksdb::Status& status, const std::string& folder) {
  const std::string what = absl::StrCat("cannot read --db='", folder, "'");
  if (absl::StrContains(status.ToString(), "comparator")) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": it has a comparator that this program lacks (",
                     status.ToString(), ")"));
  }
  return FromRocksDb(status, what);
}

}  // namespace

ReadOnlyDatabase::~ReadOnlyDatabase() {
  if (db_ == nullptr) return;
  for (auto* family : families_) (void)db_->DestroyColumnFamilyHandle(family);
}

rocksdb::Status ReadOnlyDatabase::OpenOnce(const std::string& folder) {
  env_ = rocksdb::NewCompositeEnv(std::make_shared<LoglessFileSystem>());
  const StoredOptions stored = LoadStoredOptions(folder, env_.get());
  const rocksdb::DBOptions options = CheapOptions(stored, env_.get());
  std::vector<std::string> names;
  rocksdb::Status status =
      rocksdb::DB::ListColumnFamilies(options, folder, &names);
  if (!status.ok()) return status;
  rocksdb::DB* opened = nullptr;
  status = rocksdb::DB::OpenForReadOnly(
      options, folder, Describe(names, stored), &families_, &opened);
  db_.reset(opened);
  return status;
}

absl::StatusOr<ReadOnlyDatabase> ReadOnlyDatabase::Open(
    const std::string& folder) {
  const absl::Status is_database = CheckIsDatabase(folder);
  if (!is_database.ok()) {
    return absl::Status(is_database.code(),
                        absl::StrCat("--db: ", is_database.message()));
  }
  rocksdb::Status status;
  for (int i = 0; i < kAttempts; ++i) {
    ReadOnlyDatabase database;
    status = database.OpenOnce(folder);
    if (status.ok()) return database;
    if (!status.IsIOError() && !status.IsCorruption()) break;
  }
  return Explain(status, folder);
}

}  // namespace linebloom::tools
