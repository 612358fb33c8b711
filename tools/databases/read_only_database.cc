#include "tools/databases/read_only_database.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/databases/database_lock.h"
#include "tools/databases/quiet_logger.h"
#include "tools/databases/rocksdb_status.h"

namespace linebloom::tools {
namespace {

// For a database without an OPTIONS file. Too many levels cost nothing; too few
// are an error.
constexpr int kMostLevels = 64;

// How often to reread the manifest while its owner changes it.
constexpr int kAttempts = 5;

// Opening reads no SSTables except the few that RocksDB always opens.
void LeaveOutWhatCosts(rocksdb::DBOptions* options) {
  options->max_open_files = 1;
  options->skip_stats_update_on_db_open = true;
  options->stats_dump_period_sec = 0;
  options->stats_persist_period_sec = 0;
  // Compactions may remove files meanwhile; that is not an error.
  options->paranoid_checks = false;
  // Without this, RocksDB 7.8 crashes if the manifest tracks the logs.
  options->track_and_verify_wals_in_manifest = true;
}

// The OPTIONS needed to find the files, for all column families.
rocksdb::Status LeastOptions(const std::string& folder, StoredOptions* least) {
  const StoredOptions stored = LoadStoredOptions(folder);
  least->db.db_paths = stored.db.db_paths;
  least->db.wal_dir = stored.db.wal_dir;
  std::vector<std::string> names;
  const rocksdb::Status status =
      rocksdb::DB::ListColumnFamilies(least->db, folder, &names);
  if (!status.ok()) return status;
  for (const std::string& name : names) {
    rocksdb::ColumnFamilyOptions options;
    options.num_levels = kMostLevels;
    for (const rocksdb::ColumnFamilyDescriptor& known : stored.families) {
      if (known.name != name) continue;
      options.comparator = known.options.comparator;
      options.cf_paths = known.options.cf_paths;
      options.num_levels = known.options.num_levels;
    }
    least->families.emplace_back(name, options);
  }
  return status;
}

absl::Status Explain(const rocksdb::Status& status, absl::string_view flag,
                     const std::string& folder) {
  const std::string what =
      absl::StrCat("cannot read ", flag, "='", folder, "'");
  if (absl::StrContains(status.ToString(), "comparator")) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": it has a comparator that this program lacks (",
                     status.ToString(), ")"));
  }
  return FromRocksDb(status, what);
}

bool MayPass(const rocksdb::Status& status) {
  return status.IsIOError() || status.IsCorruption();
}

}  // namespace

ReadOnlyDatabase::~ReadOnlyDatabase() {
  if (db_ == nullptr) return;
  for (auto* family : families_) (void)db_->DestroyColumnFamilyHandle(family);
}

rocksdb::Status ReadOnlyDatabase::OpenOnce(const std::string& folder,
                                           const StoredOptions& stored,
                                           Logs logs) {
  rocksdb::Status status = NewReadOnlyEnv(logs, &env_);
  if (!status.ok()) return status;
  rocksdb::DBOptions options = stored.db;
  options.env = env_.get();
  options.info_log = std::make_shared<QuietLogger>();
  options.create_if_missing = false;  // or RocksDB tries to make the folder
  if (logs == Logs::kEmpty) LeaveOutWhatCosts(&options);
  rocksdb::DB* opened = nullptr;
  status = rocksdb::DB::OpenForReadOnly(options, folder, stored.families,
                                        &families_, &opened);
  db_.reset(opened);
  return status;
}

absl::StatusOr<ReadOnlyDatabase> ReadOnlyDatabase::Open(
    absl::string_view flag, const std::string& folder,
    const StoredOptions& options, Logs logs) {
  rocksdb::Status status;
  for (int i = 0; i < kAttempts; ++i) {
    ReadOnlyDatabase database;
    status = database.OpenOnce(folder, options, logs);
    if (status.ok()) return database;
    if (logs == Logs::kRead || !MayPass(status)) break;
  }
  return Explain(status, flag, folder);
}

absl::StatusOr<ReadOnlyDatabase> ReadOnlyDatabase::Open(
    absl::string_view flag, const std::string& folder) {
  const absl::Status is_database = CheckIsDatabase(flag, folder);
  if (!is_database.ok()) return is_database;
  StoredOptions options;
  rocksdb::Status status;
  for (int i = 0; i < kAttempts; ++i) {
    status = LeastOptions(folder, &options);
    if (!MayPass(status)) break;
  }
  if (!status.ok()) return Explain(status, flag, folder);
  return Open(flag, folder, options, Logs::kEmpty);
}

}  // namespace linebloom::tools
