// linebloom migrate: gives the files of a database that nobody has open
// linebloom's filters, or RocksDB's again.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/printable.h"
#include "linebloom/filter_policy.h"
#include "linebloom/rebuild_filters.h"
#include "nlohmann/json.hpp"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "table/evaluate.h"
#include "table/status.h"
#include "tools/commands.h"
#include "tools/shared/databases.h"
#include "tools/shared/flags.h"
#include "tools/shared/policies.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

struct MigrateConfig {
  std::string db;
  std::string wal_dir;        // "": the one in the OPTIONS, if that is `db`
  std::string column_family;  // "" for all
  std::string policy;         // "": see ChoosePolicy()
  std::string line;           // "" for the policy's own
  double worst_rate = 0;
  uint64_t bytes_per_second = 0;
  bool dry_run = false;
};

using Clock = std::chrono::steady_clock;

FilterPolicyOptions DefaultPolicy(const rocksdb::ColumnFamilyOptions& stored) {
  const auto* table = TableOptionsOf(stored);
  if (table == nullptr || table->filter_policy == nullptr) return {};
  const FilterPolicyOptions* own =
      OptionsOfLinebloom(table->filter_policy.get());
  if (own != nullptr) return *own;
  const std::string id = table->filter_policy->GetId();
  const std::optional<double> bits = BitsInId(id);
  if (!absl::StartsWith(id, "bloomfilter:") || !bits.has_value()) return {};
  const FilterPolicyOptions with_bits = {.bits_per_key = *bits};
  const bool is_possible =
      Validate(with_bits).ok() && !BuildsNothing(with_bits);
  return is_possible ? with_bits : FilterPolicyOptions();
}

// RocksDB's own policy, if the text names one; else null.
absl::StatusOr<FilterPolicyPtr> ChooseBuiltIn(const MigrateConfig& config) {
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

absl::Status ParseLinebloom(const std::string& text,
                            FilterPolicyOptions* policy) {
  const rocksdb::Status parsed = ParseFilterPolicyOptions(text, policy);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        FromRocksDb(parsed, "--policy").message(),
        "; RocksDB's own are bloomfilter:BITS and ribbonfilter:BITS"));
  }
  if (!BuildsNothing(*policy)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--policy='", text, "' builds no filters: bits_per_key=",
                   BitsPerKeyOf(*policy), " is below 0.5"));
}

// The policy for a column family with these stored options: --policy, else its
// own linebloom policy, else linebloom with the bits of its Bloom filter, else
// linebloom:10; with the line of --line. InvalidArgument if a flag is invalid.
absl::StatusOr<FilterPolicyPtr> ChoosePolicy(
    const MigrateConfig& config, const rocksdb::ColumnFamilyOptions& stored) {
  FilterPolicyOptions policy;
  if (config.policy.empty()) {
    policy = DefaultPolicy(stored);
  } else {
    ASSIGN_OR_RETURN(FilterPolicyPtr built_in, ChooseBuiltIn(config));
    if (built_in != nullptr) return built_in;
    RETURN_IF_ERROR(ParseLinebloom(config.policy, &policy));
  }
  if (!config.line.empty()) {
    RETURN_IF_ERROR(FromRocksDb(
        ParseFilterPolicyOptions(absl::StrCat("line=", config.line), &policy),
        "--line"));
  }
  return FilterPolicyPtr(NewFilterPolicy(policy));
}

// Sets the policy of block-based tables; other tables stay unchanged.
void SetPolicy(FilterPolicyPtr policy, rocksdb::ColumnFamilyOptions* options) {
  if (TableOptionsOf(*options) == nullptr) return;
  rocksdb::BlockBasedTableOptions table = *TableOptionsOf(*options);
  table.filter_policy = std::move(policy);
  options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

const char* OutcomeName(RebuildOutcome outcome) {
  // In the order of RebuildOutcome.
  static constexpr const char* kNames[] = {"planned", "rewritten", "gone",
                                           "busy",    "damaged",   "no space"};
  return kNames[static_cast<size_t>(outcome)];
}

Json FileAsJson(const FileRebuild& file) {
  return {{"path", file.path},
          {"column_family", file.column_family},
          {"level", file.level},
          {"bytes", file.bytes},
          {"rows", file.rows},
          {"reason", std::string(ToString(file.reason))},
          {"false_positive_rate", file.rate},
          {"expected_false_positive_rate", file.rate_after},
          {"saved_reads_per_missing_row", file.saved_reads},
          {"outcome", OutcomeName(file.outcome)}};
}

// The files of each level, from the top, by the reason for rewriting them.
Json GroupsAsJson(const std::vector<FileRebuild>& files,
                  const std::string& family) {
  // Their number and sums; the rates are means, weighted by rows.
  std::map<std::tuple<int, RebuildReason>, std::pair<uint64_t, FileRebuild>>
      groups;
  for (const FileRebuild& file : files) {
    if (file.column_family != family) continue;
    auto& [count, sum] = groups[{file.level, file.reason}];
    ++count;
    sum.bytes += file.bytes;
    sum.rows += file.rows;
    const double share = 1.0 * file.rows / std::max<uint64_t>(sum.rows, 1);
    sum.rate += share * (file.rate - sum.rate);
    sum.rate_after += share * (file.rate_after - sum.rate_after);
    sum.saved_reads += file.saved_reads;
  }
  Json json = Json::array();
  for (const auto& [key, group] : groups) {
    const auto& [count, sum] = group;
    json.push_back(
        {{"level", std::get<int>(key)},
         {"reason", std::string(ToString(std::get<RebuildReason>(key)))},
         {"files", count},
         {"bytes", sum.bytes},
         {"false_positive_rate", sum.rate},
         {"expected_false_positive_rate", sum.rate_after},
         {"saved_reads_per_missing_row", sum.saved_reads}});
  }
  return json;
}

// For example "linebloom:10, solved", or "bloomfilter:10:false, RocksDB's own".
std::string PolicyText(const rocksdb::FilterPolicy& policy) {
  const FilterPolicyOptions* own = OptionsOfLinebloom(&policy);
  if (own == nullptr) {
    return absl::StrCat(policy.GetId(), ", RocksDB's own");
  }
  return absl::StrCat(policy.GetId(), ", ",
                      own->line == LineKind::kPlain ? "plain" : "solved",
                      own->level_aware ? ", level aware" : "");
}

bool IsSameFolder(const std::string& a, const std::string& b) {
  std::error_code error;  // one is missing, so they differ
  return std::filesystem::equivalent(a, b, error);
}

// True if the folder has a file that isn't empty and has one of these endings.
bool HasFiles(const std::string& folder,
              std::initializer_list<absl::string_view> endings) {
  std::error_code error;
  std::filesystem::directory_iterator file(folder, error);
  for (; !error && file != std::filesystem::directory_iterator();
       file.increment(error)) {
    const std::string ending = file->path().extension();
    if (std::ranges::find(endings, ending) != endings.end() &&
        file->file_size(error) > 0) {
      return true;
    }
  }
  return false;
}

// Examines the filters of a read-only database. Then opens it for writing and
// runs RebuildFilters, unless this is a dry run, something is wrong, or nothing
// can be rewritten. After an error nothing was written, unless RocksDB failed
// while rewriting.
class Migration {
 public:
  explicit Migration(const MigrateConfig& config) : config_(config) {}

  absl::Status Run() {
    if (config_.db.empty()) {
      return absl::InvalidArgumentError(
          "name a database with --db; --help says more");
    }
    // Before the database, so that a bad --policy is reported first.
    ASSIGN_OR_RETURN(const auto valid,
                     ChoosePolicy(config_, rocksdb::ColumnFamilyOptions()));
    RETURN_IF_ERROR(config_.dry_run
                        ? CheckIsDatabase("--db", config_.db)
                        : CheckUnlockedDatabase("--db", config_.db));
    RETURN_IF_ERROR(ReadOptions());
    RETURN_IF_ERROR(ChooseWalDir());
    refusal_ = CheckWriting();
    if (!config_.dry_run) RETURN_IF_ERROR(refusal_);
    RETURN_IF_ERROR(Plan());
    absl::Status status;
    if (!config_.dry_run && problems_.empty() && AnyHasRoom()) {
      WarnOfFilesWithoutSpace();
      status = Rewrite();
    }
    ReportFilesNotRewritten();
    return status;
  }

  Json AsJson() const {
    // All column families get policies of the same kind.
    const bool is_way_back =
        OptionsOfLinebloom(policies_.front().get()) == nullptr;
    Json json = {{"database", config_.db},
                 {"dry_run", config_.dry_run},
                 {"refused_without_dry_run", std::string(refusal_.message())},
                 {"is_way_back", is_way_back},
                 {"opened_for_writing", was_opened_},
                 {"interrupted", interrupted_},
                 {"files_examined", rebuild_.files_examined},
                 {"files_no_better", rebuild_.files_no_better},
                 {"bytes_rewritten", rebuild_.bytes_rewritten},
                 {"seconds", seconds_},
                 {"column_families", Json::array()},
                 {"files", Json::array()},
                 {"problems", problems_}};
    for (size_t i = 0; i < rebuild_.reads.size(); ++i) {
      const FamilyReads& reads = rebuild_.reads[i];
      json["column_families"].push_back(
          {{"name", reads.column_family},
           {"policy", PolicyText(*policies_[i])},
           {"reads_per_missing_row_before", reads.before},
           {"reads_per_missing_row_after", reads.after},
           {"groups", GroupsAsJson(rebuild_.files, reads.column_family)}});
    }
    for (const FileRebuild& file : rebuild_.files) {
      json["files"].push_back(FileAsJson(file));
    }
    return json;
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
    if (!policies_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--column_family='", config_.column_family, "': '",
                     config_.db, "' has ", absl::StrJoin(names, ", ")));
  }

  absl::Status ChooseWalDir() {
    std::string& wal_dir = stored_.db.wal_dir;
    stored_wal_dir_ = wal_dir.empty() ? config_.db : wal_dir;
    if (!config_.wal_dir.empty()) {
      // The OPTIONS keep it, and are read from anywhere.
      std::error_code error;
      wal_dir = std::filesystem::absolute(config_.wal_dir, error);
      if (error) return absl::ErrnoToStatus(error.value(), "--wal_dir");
    }
    // None means --db, wherever that moves.
    if (IsSameFolder(wal_dir, config_.db)) wal_dir.clear();
    return absl::OkStatus();
  }

  // What opening the database for writing would lose.
  absl::Status CheckWriting() const {
    RETURN_IF_ERROR(CheckOtherFolders());
    RETURN_IF_ERROR(CheckLogs());
    RETURN_IF_ERROR(CheckOwner());
    return CheckFamilies();
  }

  // Open for writing, RocksDB removes the logs that it has recovered, and skips
  // for good those that it didn't see.
  absl::Status CheckLogs() const {
    const std::string& wal_dir = stored_.db.wal_dir;
    const std::string& chosen = wal_dir.empty() ? config_.db : wal_dir;
    if (!wal_dir.empty() && config_.wal_dir.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          Database(), " has wal_dir='", wal_dir,
          "' in its OPTIONS. If it is a copy, those may be the logs of the "
          "original, which would be removed; its own are in --wal_dir='",
          config_.db, "' then. If they are its own, say --wal_dir='", wal_dir,
          "'"));
    }
    if (!IsSameFolder(chosen, stored_wal_dir_) && !HasFiles(chosen, {".log"}) &&
        HasFiles(stored_wal_dir_, {".log"})) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--wal_dir='", chosen, "' has no logs, '", stored_wal_dir_,
          "', which the OPTIONS name, has: rows that only the logs have would "
          "be lost. If ",
          Database(),
          " is a copy that needs none, as a checkpoint may be, remove wal_dir "
          "from its newest OPTIONS file"));
    }
    return absl::OkStatus();
  }

  // Open for writing, RocksDB removes what its manifest doesn't have: in
  // wal_dir and db_log_dir not only logs but SSTables too. The OPTIONS of a
  // copy name those of the original, which may be in use. (They hold neither
  // db_paths nor cf_paths.) Rejected: checking the original's LOCK, because
  // nothing says where that is.
  absl::Status CheckOtherFolders() const {
    const std::string& wal_dir = stored_.db.wal_dir;
    for (const auto& [option, folder, advice] :
         {std::tuple("wal_dir", wal_dir, "name another --wal_dir"),
          std::tuple("db_log_dir", stored_.db.db_log_dir,
                     "remove that option from the newest OPTIONS file")}) {
      if (IsSameFolder(folder, config_.db) ||
          !HasFiles(folder, {".sst", ".ldb", ".blob"})) {
        continue;
      }
      return absl::InvalidArgumentError(
          absl::StrCat(Database(), ": ", option, "='", folder,
                       "' has SSTables, which RocksDB would remove, because "
                       "they are not this database's; ",
                       advice));
    }
    return absl::OkStatus();
  }

  // The owner couldn't open a database with files of root's.
  absl::Status CheckOwner() const {
    struct stat current = {};
    if (stat((config_.db + "/CURRENT").c_str(), &current) != 0 ||
        current.st_uid == geteuid()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        Database(), " belongs to the user with the ID ", current.st_uid,
        ", and new files would belong to ", geteuid(),
        ": run this as that user, with sudo --user='#", current.st_uid, "'"));
  }

  // Compactions can't be paused before the database is open.
  absl::Status CheckFamilies() const {
    for (const rocksdb::ColumnFamilyDescriptor& family : stored_.families) {
      if (family.options.compaction_style != rocksdb::kCompactionStyleFIFO) {
        continue;
      }
      return absl::InvalidArgumentError(absl::StrCat(
          Database(), ": column family '", Printable(family.name),
          "' has FIFO compaction, which deletes its old files as soon as it is "
          "opened; call linebloom::RebuildFilters() in the application"));
    }
    return absl::OkStatus();
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
    policies_.push_back(policy);
    return absl::OkStatus();
  }

  // Opens the database for reading, with its logs, so that what prevents
  // opening shows before anything is written. A dry run skips the logs, because
  // another process may be writing them.
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
        &rebuild_);
    if (planned.IsIncomplete()) return CheckInterrupt();
    if (!planned.ok()) return FromRocksDb(planned, Database());
    problems_ = rebuild_.unreadable;
    const uint64_t gone = files - rebuild_.files_examined;
    // If another process has the database open, a compaction removed them.
    if (gone > 0 && CheckUnlockedDatabase("--db", config_.db).ok()) {
      problems_.push_back(
          absl::StrCat(Database(), ": ", gone, " of ", files,
                       " files that the manifest has are not in the folder"));
    }
    return absl::OkStatus();
  }

  absl::Status Rewrite() {
    rocksdb::DB* opened = nullptr;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    RETURN_IF_ERROR(
        FromRocksDb(rocksdb::DB::Open(stored_.db, config_.db, stored_.families,
                                      &handles, &opened),
                    absl::StrCat("cannot open ", Database())));
    const std::unique_ptr<rocksdb::DB> db(opened);
    was_opened_ = true;
    const Clock::time_point start = Clock::now();
    absl::Status status = RewriteIn(db.get(), handles);
    const std::chrono::duration<double> took = Clock::now() - start;
    seconds_ = took.count();
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
        &rebuild_);
    interrupted_ = status.IsIncomplete() && Interrupted();
    if (interrupted_) return absl::OkStatus();
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
    return std::ranges::any_of(rebuild_.files, [](const FileRebuild& file) {
      return file.outcome != RebuildOutcome::kNoSpace;
    });
  }

  // Warn now, because rewriting the other files may take hours.
  void WarnOfFilesWithoutSpace() {
    progress_.Clear();
    for (const FileRebuild& file : rebuild_.files) {
      if (file.outcome != RebuildOutcome::kNoSpace) continue;
      std::cerr << "linebloom migrate: left out: "
                << Printable(absl::StrCat(file.path, ": ", file.message))
                << std::endl;
    }
  }

  void ReportFilesNotRewritten() {
    for (const FileRebuild& file : rebuild_.files) {
      if (file.message.empty() || file.outcome == RebuildOutcome::kRewritten) {
        continue;
      }
      problems_.push_back(absl::StrCat(file.path, ": ", file.message));
    }
  }

  bool IsChosen(const std::string& family) const {
    return config_.column_family.empty() || config_.column_family == family;
  }
  std::string Database() const {
    return absl::StrCat("--db='", config_.db, "'");
  }

  const MigrateConfig& config_;
  std::string stored_wal_dir_;             // or `db`
  StoredOptions stored_;                   // with the policies
  std::vector<FilterPolicyPtr> policies_;  // of the chosen column families
  absl::Status refusal_;                   // of all but a dry run
  RebuildFiltersReport rebuild_;
  bool was_opened_ = false;  // for writing
  bool interrupted_ = false;
  double seconds_ = 0;                 // of rewriting
  std::vector<std::string> problems_;  // of files, one sentence each
  Progress progress_;
};

std::string FamilyText(const Json& family) {
  const std::string table =
      TextTable({{"Level", "L{/level}"},
                 {"reason", "{/reason}"},
                 {"files", "{/files:,}"},
                 {"bytes", "{/bytes:,}"},
                 {"FPR % now", "{/false_positive_rate:.4%}"},
                 {"expected", "{/expected_false_positive_rate:.4%}"},
                 {"reads saved", "{/saved_reads_per_missing_row:3}"}},
                family["groups"]);
  return absl::StrCat(
      Fill("Column family {/name}: {/policy}\n\n", family),
      family["groups"].empty() ? "" : table + "\n",
      Fill("Reads per missing row: {/reads_per_missing_row_before:3} now, "
           "{/reads_per_missing_row_after:3} expected, if lookups fall "
           "evenly.\n\n",
           family));
}

std::string Files(uint64_t count) {
  return absl::StrCat(WithThousands(count), count == 1 ? " file" : " files");
}

std::string WhatWasDone(const Json& report) {
  const Json& files = report["files"];
  if (files.empty()) {
    return absl::StrCat("Nothing to rewrite among ",
                        Files(report["files_examined"]), ".");
  }
  if (report["opened_for_writing"] == false) {
    uint64_t bytes = 0;
    for (const Json& file : files) bytes += file["bytes"].get<uint64_t>();
    return absl::StrCat(Files(files.size()),
                        Fill(" of {/files_examined:,} to rewrite, ", report),
                        WithThousands(bytes), " bytes",
                        report["dry_run"] == true
                            ? ". This is a dry run: nothing was written."
                            : ". Nothing was written; stderr says why.");
  }
  const auto rewritten = static_cast<uint64_t>(std::ranges::count_if(
      files, [](const Json& file) { return file["outcome"] == "rewritten"; }));
  const bool interrupted = report["interrupted"];
  return absl::StrCat(
      interrupted ? "Interrupted: rewrote " : "Rewrote ",
      WithThousands(rewritten), " of ", Files(files.size()),
      Fill(", {/bytes_rewritten:,} bytes in {/seconds:.1f} s.", report),
      interrupted ? " Run it again for the others." : "");
}

std::string WhatComesNext(const Json& report) {
  const bool back = report["is_way_back"];
  if (report["dry_run"] == true && !report["files"].empty()) {
    const std::string refusal = report["refused_without_dry_run"];
    if (!refusal.empty()) {
      return BulletText("Without --dry_run this is refused: " + refusal + ".");
    }
    return BulletText(
        back ? "The reads now are those without linebloom: RocksDB's policies "
               "can't read linebloom's filters, so these files are read "
               "unfiltered. With linebloom's policy their filters work until "
               "they are rewritten."
             : "Once rewritten, these files need linebloom wherever they are "
               "read: RocksDB without it reads their rows, but unfiltered. The "
               "way back is --policy=bloomfilter:10 or ribbonfilter:10 "
               "(docs/production.md).");
  }
  if (report["opened_for_writing"] == true) {
    return BulletText(
        back ? "The database's OPTIONS name this policy now. An application "
               "that sets its options itself has to set it too: linebloom's "
               "would go on building linebloom's filters."
             : "The database's OPTIONS name this policy now. An application "
               "that sets its options itself has to set it too: with another "
               "policy, files are read without a filter.");
  }
  return "";
}

std::string ReportAsText(const Json& report) {
  std::string text;
  for (const Json& family : report["column_families"]) {
    absl::StrAppend(&text, FamilyText(family));
  }
  absl::StrAppend(&text, NamedText("", WhatWasDone(report), 0));
  if (report["files_no_better"] > 0) {
    absl::StrAppend(&text, BulletText(absl::StrCat(
                               Files(report["files_no_better"]),
                               " left alone: of another kind, version or line, "
                               "but the policy's filter would be no better.")));
  }
  return absl::StrCat(text, WhatComesNext(report));
}

absl::StatusOr<Outcome> RunMigrate(const MigrateConfig& config) {
  Migration migration(config);
  RETURN_IF_ERROR(migration.Run());
  const Json json = migration.AsJson();
  Outcome outcome = {ReportAsText(json), json};
  if (json["interrupted"] == true) outcome.exit_code = kExitInterrupted;
  return outcome;
}

Runner DeclareMigrate(CLI::App* app) {
  const auto config = std::make_shared<MigrateConfig>();
  app->add_option("--db", config->db, "the database's folder")->required();
  app->add_option(
      "--wal_dir", config->wal_dir,
      "the folder of the database's write-ahead logs, needed if its OPTIONS "
      "name one other than --db: that one again or, for a copied or moved "
      "database, where they are now, such as --db");
  app->add_option("--column_family", config->column_family,
                  "only this column family; default: all");
  app->add_option(
      "--policy", config->policy,
      "the policy to build filters with, such as linebloom:10 or "
      "{id=linebloom;bits_per_key=10;line=plain}. With RocksDB's own, "
      "bloomfilter:10 or ribbonfilter:10, files with linebloom's filters get "
      "RocksDB's again. Default: the linebloom policy in the database's "
      "OPTIONS, or linebloom with the bits per key of the Bloom filter there, "
      "or linebloom:10");
  app->add_option("--line", config->line,
                  "solved or plain, in place of the policy's line");
  AddNumber(app, "--worst_rate", &config->worst_rate, Unit::kShare, 0, 1,
            "rewrite linebloom's own filters too if their false-positive rate "
            "is above this and the policy has more bits; 0 means 1.2 times the "
            "rate of a new filter");
  AddNumber(app, "--bytes_per_second", &config->bytes_per_second, Unit::kBytes,
            0, 1'000'000'000'000,
            "how many bytes of files to rewrite each second, on average, such "
            "as 50MB; 0 for no limit");
  app->add_flag("--dry_run", config->dry_run,
                "say what would be rewritten and what that saves, and write "
                "nothing; another process may have the database open");
  return [config] { return RunMigrate(*config); };
}

}  // namespace

const Subcommand kMigrate = {
    "migrate",
    R"(gives the files of a database whose filter is poor a new one.

Rewrites files without a filter, with RocksDB's own or a damaged one, or with
one of linebloom's of fewer bits. Those that save the most
reads per byte come first.

  linebloom migrate --db=/var/lib/my_database --dry_run
  linebloom migrate --db=/var/lib/my_database --policy=linebloom:10
  linebloom migrate --db=/var/lib/my_database --policy=bloomfilter:10

The last one is the way back: with one of RocksDB's own policies, it rewrites
the files that have linebloom's filters, and those without any.

The database must not be open elsewhere, except for --dry_run. It is opened
with its own OPTIONS; RocksDB's own compactions pause. The files keep their
level, their rows and their size. It can be stopped and killed at any time and
run again: files that are done stay as they are.

Exits with 0; with 1 if a file is damaged or was left out, and stderr says why;
with 2 for bad usage or a database that is locked, damaged or needs the
application's plug-ins; with 130 after Ctrl-C. A damaged file stays as it is.)",
    DeclareMigrate};

}  // namespace linebloom::tools
