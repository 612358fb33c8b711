#include "tools/filter_migrate/migrate.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/rocksdb/printable.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "table/status.h"
#include "tools/shared/databases.h"
#include "tools/shared/policies.h"
#include "tools/shared/progress.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

using Clock = std::chrono::steady_clock;

// For example "bloomfilter:10:false", as in OPTIONS files.
void TakeBloomBits(const std::string& id, FilterPolicyOptions* policy) {
  const std::vector<std::string> parts = absl::StrSplit(id, ':');
  double bits = 0;
  if (parts.size() < 2 || parts[0] != "bloomfilter" ||
      !absl::SimpleAtod(parts[1], &bits)) {
    return;
  }
  FilterPolicyOptions with_bits;
  with_bits.bits_per_key = bits;
  if (Validate(with_bits).ok() && !BuildsNothing(with_bits)) {
    *policy = with_bits;
  }
}

FilterPolicyOptions DefaultPolicy(const rocksdb::ColumnFamilyOptions& stored) {
  FilterPolicyOptions policy;
  const auto* table = TableOptionsOf(stored);
  if (table == nullptr || table->filter_policy == nullptr) return policy;
  const FilterPolicyOptions* own =
      OptionsOfLinebloom(table->filter_policy.get());
  if (own != nullptr) return *own;
  TakeBloomBits(table->filter_policy->GetId(), &policy);
  return policy;
}

// RocksDB's own policy, if the text names one; else null.
absl::StatusOr<FilterPolicyPtr> ChooseBuiltIn(
    const FilterMigrateConfig& config) {
  const PolicyString read = ReadPolicyString(config.policy);
  if (read.policy == nullptr ||
      OptionsOfLinebloom(read.policy.get()) != nullptr) {
    return nullptr;
  }
  if (!read.problem.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--policy=", read.problem));
  }
  if (!config.line.empty() || config.worst_rate > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        config.line.empty() ? "--worst_rate" : "--line",
        " needs a policy of linebloom's, not --policy='", config.policy, "'"));
  }
  return read.policy;
}

absl::StatusOr<FilterPolicyPtr> ChooseLinebloom(
    const FilterMigrateConfig& config,
    const rocksdb::ColumnFamilyOptions& stored) {
  FilterPolicyOptions policy;
  if (config.policy.empty()) {
    policy = DefaultPolicy(stored);
  } else {
    const rocksdb::Status parsed =
        ParseFilterPolicyOptions(config.policy, &policy);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          FromRocksDb(parsed, "--policy").message(),
          "; RocksDB's own are bloomfilter:BITS and ribbonfilter:BITS"));
    }
    if (BuildsNothing(policy)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--policy='", config.policy, "' builds no filters: bits_per_key=",
          BitsPerKeyOf(policy), " is below 0.5"));
    }
  }
  if (!config.line.empty()) {
    const rocksdb::Status parsed =
        ParseFilterPolicyOptions(absl::StrCat("line=", config.line), &policy);
    if (!parsed.ok()) return FromRocksDb(parsed, "--line");
  }
  return FilterPolicyPtr(NewFilterPolicy(policy));
}

// The policy for a column family with these stored options: --policy, else its
// own linebloom policy, else linebloom with the bits of its Bloom filter, else
// linebloom:10; with the line of --line. InvalidArgument if a flag is invalid.
absl::StatusOr<FilterPolicyPtr> ChoosePolicy(
    const FilterMigrateConfig& config,
    const rocksdb::ColumnFamilyOptions& stored) {
  if (!config.policy.empty()) {
    absl::StatusOr<FilterPolicyPtr> built_in = ChooseBuiltIn(config);
    if (!built_in.ok() || *built_in != nullptr) return built_in;
  }
  return ChooseLinebloom(config, stored);
}

// Sets the policy of block-based tables; other tables stay unchanged.
void SetPolicy(FilterPolicyPtr policy, rocksdb::ColumnFamilyOptions* options) {
  if (TableOptionsOf(*options) == nullptr) return;
  rocksdb::BlockBasedTableOptions table = *TableOptionsOf(*options);
  table.filter_policy = std::move(policy);
  options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

class Migration {
 public:
  Migration(const FilterMigrateConfig& config, MigrateReport* report)
      : config_(config), report_(report) {}

  absl::Status Run() {
    if (config_.db.empty()) {
      return absl::InvalidArgumentError(
          "name a database with --db; --help says more");
    }
    // Before the database: a wrong --policy is the user's first mistake to
    // mend.
    ASSIGN_OR_RETURN(const auto valid,
                     ChoosePolicy(config_, rocksdb::ColumnFamilyOptions()));
    absl::Status status = config_.dry_run
                              ? CheckIsDatabase("--db", config_.db)
                              : CheckUnlockedDatabase("--db", config_.db);
    if (status.ok()) status = ReadOptions();
    if (status.ok()) status = Plan();
    if (!status.ok()) return status;
    if (!config_.dry_run && report_->problems.empty() && AnyHasRoom()) {
      WarnOfFilesWithoutRoom();
      status = Rewrite();
    }
    ReportFilesNotRewritten();
    return status;
  }

 private:
  absl::Status ReadOptions() {
    absl::StatusOr<StoredOptions> stored = LoadAllStoredOptions(config_.db);
    if (!stored.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--db: ", stored.status().message(),
          "; call linebloom::RebuildFilters() in the application"));
    }
    stored_ = *std::move(stored);
    stored_.db.error_if_exists =
        false;  // set by applications that expect to create it
    std::vector<std::string> names;
    for (rocksdb::ColumnFamilyDescriptor& family : stored_.families) {
      names.push_back(family.name);
      if (!IsChosen(family.name)) continue;
      RETURN_IF_ERROR(ChooseFamily(&family));
    }
    if (!report_->policies.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--column_family='", config_.column_family, "': '",
                     config_.db, "' has ", absl::StrJoin(names, ", ")));
  }

  absl::Status ChooseFamily(rocksdb::ColumnFamilyDescriptor* stored) {
    ASSIGN_OR_RETURN(const FilterPolicyPtr policy,
                     ChoosePolicy(config_, stored->options));
    SetPolicy(policy, &stored->options);
    const FilterPolicyOptions* const own = OptionsOfLinebloom(policy.get());
    if (own != nullptr && IsLevelAware(*own) &&
        FindLevelSizeListener(stored_.db) == nullptr) {
      stored_.db.listeners.push_back(NewLevelSizeListener());
    }
    report_->policies.push_back({stored->name, policy});
    return absl::OkStatus();
  }

  // Opens the database for reading, with its logs, so that what prevents
  // opening shows before anything is written. A dry run's logs may be being
  // written.
  absl::Status Plan() {
    ASSIGN_OR_RETURN(
        const ReadOnlyDatabase database,
        ReadOnlyDatabase::Open("--db", config_.db, stored_,
                               config_.dry_run ? Logs::kEmpty : Logs::kRead));
    RebuildFiltersOptions options = OptionsFor(database.families());
    options.dry_run = true;
    uint64_t files = 0;
    const rocksdb::Status planned = RebuildFilters(
        database.db(), options,
        [this, &files](const RebuildFiltersProgress& done) {
          if (files == 0) progress_.Begin("reading filters", done.files);
          files = done.files;
          progress_.Update(done.files_done);
          return !Interrupted();
        },
        &report_->rebuild);
    if (planned.IsIncomplete()) return CheckInterrupt();
    if (!planned.ok()) return FromRocksDb(planned, Database());
    report_->problems = report_->rebuild.unreadable;
    const uint64_t gone = files - report_->rebuild.files_examined;
    // If another process has the database open, a compaction removed them.
    if (gone > 0 && CheckUnlockedDatabase("--db", config_.db).ok()) {
      report_->problems.push_back(
          absl::StrCat(Database(), ": ", gone, " of ", files,
                       " files that the manifest has are not in the folder"));
    }
    return absl::OkStatus();
  }

  absl::Status Rewrite() {
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

  absl::Status RewriteIn(
      rocksdb::DB* db,
      const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
    // RocksDB's own compactions would rewrite files twice and remove files of
    // the plan. Rejected: disable_auto_compactions, which stays in the OPTIONS
    // file if the run is killed. A compaction due at opening is waited for.
    RETURN_IF_ERROR(FromRocksDb(db->PauseBackgroundWork(), Database()));
    bool begun = false;
    const rocksdb::Status status = RebuildFilters(
        db, OptionsFor(handles),
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

  RebuildFiltersOptions OptionsFor(
      const std::vector<rocksdb::ColumnFamilyHandle*>& handles) const {
    RebuildFiltersOptions options;
    for (rocksdb::ColumnFamilyHandle* handle : handles) {
      if (IsChosen(handle->GetName())) {
        options.column_families.push_back(handle);
      }
    }
    options.worst_rate = config_.worst_rate;
    options.bytes_per_second = config_.bytes_per_second;
    return options;
  }

  // True if the disk has space to rewrite some file.
  bool AnyHasRoom() const {
    const std::vector<FileRebuild>& files = report_->rebuild.files;
    return std::any_of(files.begin(), files.end(), [](const FileRebuild& file) {
      return file.outcome != RebuildOutcome::kNoSpace;
    });
  }

  // Warn now, because rewriting the other files may take hours.
  void WarnOfFilesWithoutRoom() {
    progress_.Clear();
    for (const FileRebuild& file : report_->rebuild.files) {
      if (file.outcome != RebuildOutcome::kNoSpace) continue;
      std::cerr << "filter_migrate: left out: "
                << Printable(absl::StrCat(file.path, ": ", file.message))
                << std::endl;
    }
  }

  void ReportFilesNotRewritten() {
    for (const FileRebuild& file : report_->rebuild.files) {
      if (file.message.empty() || file.outcome == RebuildOutcome::kRewritten) {
        continue;
      }
      report_->problems.push_back(absl::StrCat(file.path, ": ", file.message));
    }
  }

  bool IsChosen(const std::string& family) const {
    return config_.column_family.empty() || config_.column_family == family;
  }
  std::string Database() const {
    return absl::StrCat("--db='", config_.db, "'");
  }

  const FilterMigrateConfig& config_;
  MigrateReport* report_;
  StoredOptions stored_;  // with the policies
  Progress progress_;
};

}  // namespace

absl::StatusOr<MigrateReport> Migrate(const FilterMigrateConfig& config) {
  MigrateReport report;
  RETURN_IF_ERROR(Migration(config, &report).Run());
  return report;
}

}  // namespace linebloom::tools
