#include "tools/filter_migrate/migrate.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "filter_policy/rebuild/data_blocks.h"
#include "filter_policy/rebuild/family.h"
#include "filter_policy/rebuild/pace.h"
#include "filter_policy/rebuild/plan.h"
#include "filter_policy/rebuild/room.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/db.h"
#include "tools/command_line/interrupt.h"
#include "tools/command_line/progress.h"
#include "tools/databases/database_lock.h"
#include "tools/databases/quiet_logger.h"
#include "tools/databases/read_only_database.h"
#include "tools/databases/read_only_file_system.h"
#include "tools/databases/rocksdb_status.h"
#include "tools/databases/stored_options.h"
#include "tools/filter_migrate/policies.h"

namespace linebloom::tools {
namespace {

using Clock = std::chrono::steady_clock;

class Migration {
 public:
  Migration(const FilterMigrateConfig& config, MigrateReport* report)
      : config_(config), report_(report) {}

  absl::Status Run();

 private:
  absl::Status ReadOptions();
  absl::Status ChooseFamily(rocksdb::ColumnFamilyDescriptor* stored);
  absl::Status Plan();
  void CheckRoomOfFiles();
  void WarnOfFilesWithoutRoom();
  void ReportFilesNotRewritten();
  absl::Status CheckFiles();
  absl::Status CheckThatItOpens() const;
  absl::Status Rewrite();
  absl::Status RewriteIn(
      rocksdb::DB* db,
      const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  bool IsChosen(const std::string& family) const {
    return config_.column_family.empty() || config_.column_family == family;
  }
  std::string Database() const {
    return absl::StrCat("--db='", config_.db, "'");
  }

  const FilterMigrateConfig& config_;
  MigrateReport* report_;
  StoredOptions stored_;  // with the policies
  std::vector<Family> families_;
  std::vector<PlannedFile> plan_;
  Progress progress_;
};

absl::Status Migration::ChooseFamily(rocksdb::ColumnFamilyDescriptor* stored) {
  const absl::StatusOr<FilterPolicyOptions> policy =
      ChoosePolicy(config_, stored->options);
  if (!policy.ok()) return policy.status();
  SetPolicy(*policy, &stored->options);
  if (policy->level_aware && FindLevelSizeListener(stored_.db) == nullptr) {
    stored_.db.listeners.push_back(NewLevelSizeListener());
  }
  Family& family = families_.emplace_back();
  family.name = stored->name;
  family.options = rocksdb::Options(stored_.db, stored->options);
  family.worst_rate = config_.worst_rate;
  report_->policies.push_back({stored->name, *policy});
  return FromRocksDb(ReadPolicy(family.name, stored->options, &family.policy),
                     Database());
}

absl::Status Migration::ReadOptions() {
  absl::StatusOr<StoredOptions> stored = LoadAllStoredOptions(config_.db);
  if (!stored.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--db: ", stored.status().message(),
                     "; call linebloom::RebuildFilters() in the application"));
  }
  stored_ = *std::move(stored);
  stored_.db.error_if_exists = false;  // of an application that makes it anew
  std::vector<std::string> names;
  for (rocksdb::ColumnFamilyDescriptor& family : stored_.families) {
    names.push_back(family.name);
    if (!IsChosen(family.name)) continue;
    const absl::Status status = ChooseFamily(&family);
    if (!status.ok()) return status;
  }
  if (!families_.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--column_family='", config_.column_family, "': '",
                   config_.db, "' has ", absl::StrJoin(names, ", ")));
}

absl::Status Migration::Plan() {
  const absl::StatusOr<ReadOnlyDatabase> database =
      ReadOnlyDatabase::Open(config_.db);
  if (!database.ok()) return database.status();
  uint64_t files = 0;
  for (rocksdb::ColumnFamilyHandle* handle : database->families()) {
    for (Family& family : families_) {
      if (family.name != handle->GetName()) continue;
      family.handle = handle;
      rocksdb::ColumnFamilyMetaData metadata;
      database->db()->GetColumnFamilyMetaData(handle, &metadata);
      files += metadata.file_count;
    }
  }
  for (const Family& family : families_) {
    if (family.handle != nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(Database(), ": the OPTIONS have a column family '",
                     family.name, "', the manifest has not"));
  }
  progress_.Begin("reading filters", files);
  const rocksdb::Status planned = MakePlan(
      database->db(), families_,
      [this](const RebuildFiltersProgress& done) {
        progress_.Update(done.files_done);
        return !Interrupted();
      },
      &plan_, &report_->rebuild);
  for (Family& family : families_) family.handle = nullptr;  // closed below
  if (planned.IsIncomplete()) return CheckInterrupt();
  if (!planned.ok()) return FromRocksDb(planned, Database());
  report_->problems = report_->rebuild.unreadable;
  const uint64_t gone = files - report_->rebuild.files_examined;
  // Where another process has it open, a compaction took them.
  if (gone > 0 && CheckUnlockedDatabase(config_.db).ok()) {
    report_->problems.push_back(
        absl::StrCat(Database(), ": ", gone, " of ", files,
                     " files that the manifest has are not in the folder"));
  }
  return absl::OkStatus();
}

// Marks the files that the disk has no room for.
void Migration::CheckRoomOfFiles() {
  const uint64_t reserve = ReserveForWrites(families_, /*in_memory=*/0);
  for (FileRebuild& file : report_->rebuild.files) {
    const rocksdb::Status room = CheckRoom(
        stored_.db.env->GetFileSystem().get(), file.path, file.bytes, reserve);
    if (room.ok()) continue;
    file.outcome = RebuildOutcome::kNoSpace;
    file.message = room.ToString();
  }
}

// Now: reading and rewriting the other files may take hours.
void Migration::WarnOfFilesWithoutRoom() {
  progress_.Clear();
  for (const FileRebuild& file : report_->rebuild.files) {
    if (file.outcome != RebuildOutcome::kNoSpace) continue;
    std::cerr << "filter_migrate: left out: " << file.path << ": "
              << file.message << std::endl;
  }
}

void Migration::ReportFilesNotRewritten() {
  for (const FileRebuild& file : report_->rebuild.files) {
    if (file.message.empty() || file.outcome == RebuildOutcome::kRewritten) {
      continue;
    }
    report_->problems.push_back(absl::StrCat(file.path, ": ", file.message));
  }
}

// A damaged block is found before anything is written, not in between.
absl::Status Migration::CheckFiles() {
  const std::vector<FileRebuild>& files = report_->rebuild.files;
  uint64_t bytes = 0;
  for (const FileRebuild& file : files) {
    if (file.outcome != RebuildOutcome::kNoSpace) bytes += file.bytes;
  }
  progress_.Begin("checking files", bytes);
  const Clock::time_point start = Clock::now();
  uint64_t done = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (Interrupted()) return CheckInterrupt();
    if (files[i].outcome == RebuildOutcome::kNoSpace) continue;
    const rocksdb::Status sound =
        CheckDataBlocks(families_[plan_[i].family].options, files[i].path,
                        plan_[i].filter_block_is_damaged);
    if (!sound.ok()) {
      report_->problems.emplace_back(
          FromRocksDb(sound, files[i].path).message());
    }
    done += files[i].bytes;
    progress_.Update(done);
    SleepWhile(PauseAfter(done, Clock::now() - start, config_.bytes_per_second),
               [] { return !Interrupted(); });
  }
  return CheckInterrupt();
}

// With everything that opening it for writing looks at: its logs, too.
absl::Status Migration::CheckThatItOpens() const {
  const std::unique_ptr<rocksdb::Env> env =
      rocksdb::NewCompositeEnv(std::make_shared<ReadOnlyFileSystem>());
  rocksdb::DBOptions options = stored_.db;
  options.env = env.get();
  options.create_if_missing = false;  // or RocksDB tries to make the folder
  options.info_log = std::make_shared<QuietLogger>();
  rocksdb::DB* opened = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const absl::Status status =
      FromRocksDb(rocksdb::DB::OpenForReadOnly(
                      options, config_.db, stored_.families, &handles, &opened),
                  absl::StrCat("cannot open ", Database()));
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (auto* handle : handles) (void)db->DestroyColumnFamilyHandle(handle);
  return status;
}

absl::Status Migration::RewriteIn(
    rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  // RocksDB's own compactions would rewrite files twice and take those away
  // that are in the plan. Rejected: the option disable_auto_compactions, for it
  // would stay in the OPTIONS file of a run that is killed. One compaction that
  // is due when the database is opened may begin before this and is waited for.
  const absl::Status paused =
      FromRocksDb(db->PauseBackgroundWork(), Database());
  if (!paused.ok()) return paused;
  RebuildFiltersOptions options;
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    if (IsChosen(handle->GetName())) options.column_families.push_back(handle);
  }
  options.worst_rate = config_.worst_rate;
  options.bytes_per_second = config_.bytes_per_second;
  options.check_data_blocks = false;  // CheckFiles did
  bool begun = false;
  const rocksdb::Status status = RebuildFilters(
      db, options,
      [this, &begun](const RebuildFiltersProgress& done) {
        if (!done.rewriting) return !Interrupted();
        if (!begun) progress_.Begin("rewriting files", done.bytes);
        begun = true;
        progress_.Update(done.bytes_done);
        return !Interrupted();
      },
      &report_->rebuild);
  report_->interrupted = status.IsIncomplete() && Interrupted();
  if (report_->interrupted) return absl::OkStatus();
  return FromRocksDb(status, Database());
}

absl::Status Migration::Rewrite() {
  rocksdb::DB* opened = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  absl::Status status =
      FromRocksDb(rocksdb::DB::Open(stored_.db, config_.db, stored_.families,
                                    &handles, &opened),
                  absl::StrCat("cannot open ", Database()));
  if (!status.ok()) return status;
  const std::unique_ptr<rocksdb::DB> db(opened);
  report_->database_was_opened = true;
  const Clock::time_point start = Clock::now();
  status = RewriteIn(db.get(), handles);
  const std::chrono::duration<double> took = Clock::now() - start;
  report_->seconds = took.count();
  for (auto* handle : handles) (void)db->DestroyColumnFamilyHandle(handle);
  status.Update(FromRocksDb(db->Close(), Database()));
  return status;
}

absl::Status Migration::Run() {
  absl::Status status = config_.dry_run ? CheckIsDatabase(config_.db)
                                        : CheckUnlockedDatabase(config_.db);
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat("--db: ", status.message()));
  }
  status = ReadOptions();
  if (status.ok()) status = Plan();
  if (!status.ok() || report_->rebuild.files.empty()) return status;
  CheckRoomOfFiles();
  const std::vector<FileRebuild>& files = report_->rebuild.files;
  const bool no_room =
      std::all_of(files.begin(), files.end(), [](const FileRebuild& file) {
        return file.outcome == RebuildOutcome::kNoSpace;
      });
  if (config_.dry_run || no_room || !report_->problems.empty()) {
    ReportFilesNotRewritten();
    return status;
  }
  WarnOfFilesWithoutRoom();
  status = CheckFiles();
  if (!status.ok() || !report_->problems.empty()) return status;
  status = CheckThatItOpens();
  if (status.ok()) status = Rewrite();
  ReportFilesNotRewritten();
  return status;
}

}  // namespace

absl::StatusOr<MigrateReport> Migrate(const FilterMigrateConfig& config) {
  MigrateReport report;
  const absl::Status status = Migration(config, &report).Run();
  if (!status.ok()) return status;
  return report;
}

}  // namespace linebloom::tools
