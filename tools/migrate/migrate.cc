// linebloom migrate: gives the files of a closed database linebloom's filters,
// or RocksDB's again.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "filter_policy/listener/level_size_listener.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/printable.h"
#include "linebloom/filter_policy.h"
#include "linebloom/rebuild_filters.h"
#include "nlohmann/json.hpp"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "table/rebuild/evaluate.h"
#include "table/rebuild/plan_rebuild.h"
#include "table/status.h"
#include "tools/database/caches.h"
#include "tools/database/database_facts.h"
#include "tools/database/databases.h"
#include "tools/database/out_ptr.h"
#include "tools/database/policies.h"
#include "tools/report/commands.h"
#include "tools/report/flags.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

// True if both are there and the same.
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

// Open for writing, RocksDB removes what its manifest doesn't have: in wal_dir
// and db_log_dir not only logs but SSTables too. The OPTIONS of a copy name
// those of the original, which may be in use. (They hold neither db_paths nor
// cf_paths.) Rejected: checking the original's LOCK, because nothing says where
// that is.
absl::Status CheckOtherFolders(const std::string& folder,
                               const rocksdb::DBOptions& options) {
  for (const auto& [option, other, advice] :
       {std::tuple("wal_dir", options.wal_dir, "name another --wal_dir"),
        std::tuple("db_log_dir", options.db_log_dir,
                   "remove that option from the newest OPTIONS file")}) {
    if (IsSameFolder(other, folder) || !HasFiles(other, {".sst", ".blob"})) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("'", folder, "': ", option, "='", other,
                     "' has SSTables, which RocksDB would remove, because "
                     "they are not this database's; ",
                     advice));
  }
  return absl::OkStatus();
}

// When it opens for writing, RocksDB removes the logs that it has recovered,
// and never reads the others.
absl::Status CheckLogs(const std::string& folder, const std::string& wal_dir,
                       const std::string& stored_wal_dir, bool is_told) {
  if (!wal_dir.empty() && !is_told) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", folder, "' has wal_dir='", wal_dir,
        "' in its OPTIONS. If it is a copy, those may be the logs of the "
        "original, which would be removed; its own are in --wal_dir='",
        folder, "' then. If they are its own, say --wal_dir='", wal_dir, "'"));
  }
  const std::string& chosen = wal_dir.empty() ? folder : wal_dir;
  if (!IsSameFolder(chosen, stored_wal_dir) && !HasFiles(chosen, {".log"}) &&
      HasFiles(stored_wal_dir, {".log"})) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--wal_dir='", chosen, "' has no logs, '", stored_wal_dir,
        "', which the OPTIONS name, has: rows that only the logs have would be "
        "lost. If '",
        folder,
        "' is a copy that needs none, as a checkpoint may be, remove wal_dir "
        "from its newest OPTIONS file"));
  }
  return absl::OkStatus();
}

// The owner couldn't open a database with files of root's.
absl::Status CheckOwner(const std::string& folder) {
  struct stat current = {};
  if (stat((folder + "/CURRENT").c_str(), &current) != 0 ||
      current.st_uid == geteuid()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", folder, "' belongs to the user with the ID ", current.st_uid,
      ", and new files would belong to ", geteuid(),
      ": run this as that user, with sudo --user='#", current.st_uid, "'"));
}

// Compactions can't be paused before the database is open.
absl::Status CheckFamilies(const std::string& folder,
                           const StoredOptions& options) {
  for (const rocksdb::ColumnFamilyDescriptor& family : options.families) {
    if (family.options.compaction_style != rocksdb::kCompactionStyleFIFO) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "'", folder, "': column family '", Printable(family.name),
        "' has FIFO compaction, which deletes its old files as soon as it is "
        "opened; call linebloom::RebuildFilters() in the application"));
  }
  return absl::OkStatus();
}

// InvalidArgument, with the reason and what to do instead, if opening `folder`
// for writing with `options` would remove files or rows, or leave files that
// their owner can't read. `options.db.wal_dir` is the one to use, "" for
// `folder`; `stored_wal_dir` is that of the OPTIONS, and `is_told` says that
// the user named one.
absl::Status CheckWriting(const std::string& folder,
                          const StoredOptions& options,
                          const std::string& stored_wal_dir, bool is_told) {
  RETURN_IF_ERROR(CheckOtherFolders(folder, options.db));
  RETURN_IF_ERROR(
      CheckLogs(folder, options.db.wal_dir, stored_wal_dir, is_told));
  RETURN_IF_ERROR(CheckOwner(folder));
  return CheckFamilies(folder, options);
}

struct MigrateConfig {
  std::string db;
  std::string wal_dir;        // "": the one in the OPTIONS, if that is `db`
  std::string column_family;  // "" for all
  std::string policy;         // "": PolicyToBuild()
  SaidLoad said;
  bool dry_run = false;
};

// The policy of --policy; null without. InvalidArgument if the flag is invalid.
absl::StatusOr<FilterPolicyPtr> ParsePolicy(const MigrateConfig& config) {
  if (config.policy.empty()) return nullptr;
  const absl::StatusOr<FilterPolicyPtr> read = ReadPolicyString(config.policy);
  if (!read.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--policy=", read.status().message()));
  }
  const FilterPolicyOptions* const own = OptionsOfLinebloom(read->get());
  if (own != nullptr ? !BuildsNothing(*own) : *read != nullptr) return read;
  return absl::InvalidArgumentError(
      absl::StrCat("--policy='", config.policy, "' builds no filters"));
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

// The database as it is to be opened.
struct Target {
  StoredOptions stored;        // with the policies
  Policies policies;           // of the chosen column families
  std::string stored_wal_dir;  // or the database's folder
  DatabaseCaches caches;
};

// RocksDB's own family of statistics never has a filter policy.
bool IsChosen(const MigrateConfig& config, const std::string& family) {
  return config.column_family.empty()
             ? family != rocksdb::kPersistentStatsColumnFamilyName
             : family == config.column_family;
}

// bits_per_key=auto depends on the application's block cache, whose size no
// OPTIONS file has. It gets that in place of this program's.
absl::Status UseCachesOfApplication(const MigrateConfig& config,
                                    Target* target) {
  ASSIGN_OR_RETURN(const DatabaseFacts database, ReadDatabase(config.db));
  ASSIGN_OR_RETURN(target->caches, ReadCaches(database, config.said));
  for (const CacheFacts& facts : target->caches.caches) {
    const read_model::Cache& known = facts.load.cache;
    const auto cache = rocksdb::NewLRUCache(
        static_cast<size_t>(known.capacity),
        static_cast<int>(std::lround(std::log2(known.shards))),
        /*strict_capacity_limit=*/false, known.high_priority_share);
    for (rocksdb::ColumnFamilyDescriptor& family : target->stored.families) {
      const auto* const used = TableOptionsOf(family.options);
      if (used == nullptr || !CacheHoldsFilters(*used)) continue;
      const auto* const own = OptionsOfLinebloom(used->filter_policy.get());
      if (own == nullptr || !IsAuto(*own)) continue;
      if (std::ranges::count(facts.families, family.name) == 0) continue;
      if (known.capacity <= 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            "'", config.db, "': column family '", Printable(family.name),
            "' gets the bits that are best for the application's block cache, "
            "and its info log doesn't tell how large that is: say "
            "--memory=BYTES, or name the bits, as in --policy=linebloom:10"));
      }
      rocksdb::BlockBasedTableOptions table = *used;
      table.block_cache = cache;
      family.options.table_factory.reset(
          rocksdb::NewBlockBasedTableFactory(table));
    }
  }
  return absl::OkStatus();
}

// Gives the chosen families the `chosen` policy, or their default.
absl::Status ChooseFamilies(const MigrateConfig& config,
                            const FilterPolicyPtr& chosen, Target* target) {
  std::vector<std::string> names;
  for (rocksdb::ColumnFamilyDescriptor& family : target->stored.families) {
    names.push_back(family.name);
    if (!IsChosen(config, family.name)) continue;
    const FilterPolicyPtr policy =
        chosen != nullptr ? chosen : PolicyToBuild(family.options);
    SetPolicy(policy, &family.options);
    const FilterPolicyOptions* const own = OptionsOfLinebloom(policy.get());
    if (own != nullptr && IsLevelAware(*own) &&
        FindListener(target->stored.db) == nullptr) {
      target->stored.db.listeners.push_back(NewLevelSizeListener());
    }
    target->policies[family.name] = policy;
  }
  if (!target->policies.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--column_family='", config.column_family, "': '", config.db,
                   "' has ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<Target> ReadTarget(const MigrateConfig& config,
                                  const FilterPolicyPtr& chosen) {
  absl::StatusOr<StoredOptions> stored = LoadOptionsOrFail(config.db);
  if (!stored.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(stored.status().message(),
                     "; call linebloom::RebuildFilters() in the application"));
  }
  Target target;
  target.stored = *std::move(stored);
  rocksdb::DBOptions& db = target.stored.db;
  db.error_if_exists = false;  // set by applications that expect to create it
  // A LOG of this program would be taken for the application's, whose cache and
  // statistics it tells.
  db.info_log = std::make_shared<QuietLogger>();
  target.stored_wal_dir = db.wal_dir.empty() ? config.db : db.wal_dir;
  if (!config.wal_dir.empty()) {
    // The OPTIONS keep it, and are read from anywhere.
    std::error_code error;
    db.wal_dir = std::filesystem::absolute(config.wal_dir, error);
    if (error) return absl::ErrnoToStatus(error.value(), "--wal_dir");
  }
  // None means the database's folder, wherever that moves.
  if (IsSameFolder(db.wal_dir, config.db)) db.wal_dir.clear();
  RETURN_IF_ERROR(ChooseFamilies(config, chosen, &target));
  RETURN_IF_ERROR(UseCachesOfApplication(config, &target));
  return target;
}

std::string Quoted(const MigrateConfig& config) {
  return absl::StrCat("'", config.db, "'");
}

RebuildFiltersOptions OptionsFor(
    const MigrateConfig& config,
    const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  RebuildFiltersOptions options;
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    if (IsChosen(config, handle->GetName())) {
      options.column_families.push_back(handle);
    }
  }
  return options;
}

// Rebuilds or, in a dry run, plans, with its progress on the terminal.
rocksdb::Status Rebuild(const Target& target, rocksdb::DB* db,
                        const RebuildFiltersOptions& options,
                        RebuildFiltersReport* report) {
  Progress progress;
  return RebuildFiltersFor(
      target.caches.hits, db, options,
      [&](const RebuildFiltersProgress& done) {
        const uint64_t all = done.rewriting ? done.bytes : done.files;
        if (done.files_done == 0) {
          progress.Begin(done.rewriting ? "rewriting files" : "reading filters",
                         all);
        }
        progress.Update(done.rewriting ? done.bytes_done : done.files_done);
        return !Interrupted();
      },
      report);
}

// Opens the database for reading, with its logs, so that what prevents opening
// shows before anything is written. A dry run skips the logs, because another
// process may be writing them.
absl::StatusOr<RebuildFiltersReport> Plan(const MigrateConfig& config,
                                          const Target& target) {
  ASSIGN_OR_RETURN(
      const ReadOnlyDatabase database,
      ReadOnlyDatabase::Open(config.db, target.stored,
                             config.dry_run ? Logs::kEmpty : Logs::kRead));
  RebuildFiltersOptions options = OptionsFor(config, database.families());
  options.dry_run = true;
  RebuildFiltersReport plan;
  const rocksdb::Status planned =
      Rebuild(target, database.db(), options, &plan);
  if (planned.IsIncomplete()) return CheckInterrupt();
  if (!planned.ok()) return FromRocksDb(planned, Quoted(config));
  for (const absl::Status& error : target.caches.findings.unreadable) {
    if (absl::IsNotFound(error)) plan.unreadable.emplace_back(error.message());
  }
  return plan;
}

// Rewrites the files of the plan, which then has their outcomes.
absl::Status RewriteIn(rocksdb::DB* db,
                       const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                       const MigrateConfig& config, const Target& target,
                       RebuildFiltersReport* plan) {
  // RocksDB's own compactions would rewrite files twice and remove files of the
  // plan. Rejected: disable_auto_compactions, which stays in the OPTIONS file
  // if the run is killed. A compaction due at opening is waited for.
  RETURN_IF_ERROR(FromRocksDb(db->PauseBackgroundWork(), Quoted(config)));
  RebuildFiltersOptions options = OptionsFor(config, handles);
  options.files = plan->files;
  RebuildFiltersReport report;
  const rocksdb::Status status = Rebuild(target, db, options, &report);
  plan->files = std::move(report.files);
  plan->bytes_rewritten = report.bytes_rewritten;
  if (status.IsIncomplete() && Interrupted()) return absl::OkStatus();
  return FromRocksDb(status, Quoted(config));
}

absl::Status Rewrite(const MigrateConfig& config, const Target& target,
                     RebuildFiltersReport* plan) {
  // New files have the permissions of the old ones, not this process's.
  struct stat current = {};
  const bool is_known = stat((config.db + "/CURRENT").c_str(), &current) == 0;
  const mode_t before = umask(is_known ? ~current.st_mode & 077 : 077);
  const absl::Cleanup restore = [before] { umask(before); };
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  RETURN_IF_ERROR(FromRocksDb(
      rocksdb::DB::Open(target.stored.db, config.db, target.stored.families,
                        &handles, OutPtr(&db)),
      absl::StrCat("cannot open ", Quoted(config))));
  absl::Status result = RewriteIn(db.get(), handles, config, target, plan);
  for (auto* handle : handles) (void)db->DestroyColumnFamilyHandle(handle);
  result.Update(FromRocksDb(db->Close(), Quoted(config)));
  return result;
}

std::vector<std::string> ProblemsOf(const RebuildFiltersReport& plan) {
  std::vector<std::string> problems = plan.unreadable;
  for (const FileRebuild& file : plan.files) {
    if (file.message.empty() || file.outcome == RebuildOutcome::kRewritten) {
      continue;
    }
    problems.push_back(absl::StrContains(file.message, file.path)
                           ? file.message
                           : absl::StrCat(file.path, ": ", file.message));
  }
  return problems;
}

Json ReportAsJson(const MigrateConfig& config, const Target& target,
                  const absl::Status& refusal, const RebuildFiltersReport& plan,
                  bool opened_for_writing) {
  Json json = {{"database", config.db},
               {"dry_run", config.dry_run},
               {"refused_without_dry_run", std::string(refusal.message())},
               {"opened_for_writing", opened_for_writing},
               {"interrupted", Interrupted()},
               {"files_examined", plan.files_examined},
               {"files_no_better", plan.files_no_better},
               {"bytes_rewritten", plan.bytes_rewritten},
               {"caches", Json::array()},
               {"column_families", Json::array()},
               {"files", Json::array()},
               {"problems", ProblemsOf(plan)}};
  for (const CacheFacts& facts : target.caches.caches) {
    json["caches"].push_back(AsJson(facts, AnswerFor(facts, target.policies)));
  }
  for (const FamilyReads& reads : plan.reads) {
    json["column_families"].push_back(
        {{"name", reads.column_family},
         {"policy", PolicyName(*target.policies.at(reads.column_family))},
         {"reads_per_1000_in_memory",
          {{"now", 1000 * reads.before}, {"new", 1000 * reads.after}}}});
  }
  for (const FileRebuild& file : plan.files) {
    json["files"].push_back({{"path", file.path},
                             {"column_family", file.column_family},
                             {"level", file.level},
                             {"bytes", file.bytes},
                             {"rows", file.rows},
                             {"reason", std::string(ToString(file.reason))},
                             {"false_positive_rate", file.rate},
                             {"expected_false_positive_rate", file.rate_after},
                             {"saved_reads_per_missing_row", file.saved_reads},
                             {"outcome", OutcomeName(file.outcome)}});
  }
  return json;
}

// "28 other policy, 2 no filter".
std::string ReasonsText(const Json& files) {
  std::map<std::string, uint64_t> counts;
  for (const Json& file : files) ++counts[file["reason"]];
  return absl::StrJoin(counts, ", ", [](std::string* text, const auto& reason) {
    absl::StrAppend(text, WithThousands(reason.second), " ", reason.first);
  });
}

std::string WhatWasDone(const Json& report) {
  const Json& files = report["files"];
  if (files.empty()) {
    return absl::StrCat("Nothing to rewrite among ",
                        FilesText(report["files_examined"]), ".");
  }
  uint64_t bytes = 0;
  uint64_t rewritten = 0;
  for (const Json& file : files) {
    bytes += file["bytes"].get<uint64_t>();
    rewritten += file["outcome"] == "rewritten" ? 1 : 0;
  }
  if (report["opened_for_writing"] == false) {
    return absl::StrCat(FilesText(files.size()),
                        Fill(" of {/files_examined:,} to rewrite, ", report),
                        WithThousands(bytes), " bytes: ", ReasonsText(files),
                        report["dry_run"] == true
                            ? ". This is a dry run: nothing was written."
                            : ". Nothing was written; stderr says why.");
  }
  const bool interrupted = report["interrupted"];
  return absl::StrCat(interrupted ? "Interrupted: rewrote " : "Rewrote ",
                      WithThousands(rewritten), " of ", FilesText(files.size()),
                      Fill(", {/bytes_rewritten:,} bytes: ", report),
                      ReasonsText(files), ".",
                      interrupted ? " Run it again for the others." : "");
}

// What lookups read now and with new filters, first in the block cache.
std::string ReadsTable(const Json& report) {
  Json rows = Json::array();
  for (const Json& cache : report["caches"]) {
    if (cache["reads_per_1000"].is_null()) continue;
    rows.push_back(
        {{"label",
          Fill("{/column_families/0}", cache) +
              (cache["column_families"].size() > 1 ? " and others: " : ": ") +
              Fill(cache["holds_filters"] == true
                       ? "in a cache of {/memory:MB} MB"
                       : "beside one of {/memory:MB} MB",
                   cache)},
         {"reads_per_1000", cache["reads_per_1000"]}});
  }
  for (const Json& family : report["column_families"]) {
    rows.push_back({{"label", Fill("{/name}: missing rows, in memory", family)},
                    {"reads_per_1000", family["reads_per_1000_in_memory"]}});
  }
  return TextTable({{"Blocks read per 1,000 lookups", "{/label}"},
                    {"now", ReadsCell("/now")},
                    {"new", ReadsCell("/new")}},
                   rows);
}

std::string ReportAsText(const Json& report) {
  std::string text;
  for (const Json& family : report["column_families"]) {
    absl::StrAppend(&text, Fill("Column family {/name}: {/policy}\n", family));
  }
  absl::StrAppend(&text, "\n", ReadsTable(report), "\n",
                  NamedText("", WhatWasDone(report), 0));
  if (report["files_no_better"] > 0) {
    absl::StrAppend(&text,
                    BulletText(absl::StrCat(
                        FilesText(report["files_no_better"]),
                        " left alone: the new filter would be no better.")));
  }
  const std::string refusal = report["refused_without_dry_run"];
  if (report["dry_run"] == true && !refusal.empty()) {
    absl::StrAppend(
        &text,
        BulletText("Without --dry_run this is refused: " + refusal + "."));
  }
  if (report["opened_for_writing"] == true) {
    absl::StrAppend(
        &text,
        BulletText("The database's OPTIONS name this policy now. An "
                   "application that sets its options itself has to set it "
                   "too."));
  }
  return text;
}

// Examines the filters of a read-only database. Then opens it for writing and
// rewrites files, unless this is a dry run, something is wrong, or nothing can
// be rewritten. After an error nothing was written, unless RocksDB failed while
// rewriting.
absl::StatusOr<Outcome> RunMigrate(const MigrateConfig& config) {
  // Before the database, so that a bad --policy is reported first.
  ASSIGN_OR_RETURN(const FilterPolicyPtr chosen, ParsePolicy(config));
  RETURN_IF_ERROR(config.dry_run ? CheckIsDatabase(config.db)
                                 : CheckUnlockedDatabase(config.db));
  ASSIGN_OR_RETURN(const Target target, ReadTarget(config, chosen));
  const absl::Status refusal = CheckWriting(
      config.db, target.stored, target.stored_wal_dir, !config.wal_dir.empty());
  if (!config.dry_run) RETURN_IF_ERROR(refusal);
  ASSIGN_OR_RETURN(RebuildFiltersReport plan, Plan(config, target));
  const bool has_room =
      std::ranges::any_of(plan.files, [](const FileRebuild& file) {
        return file.outcome != RebuildOutcome::kNoSpace;
      });
  const bool rewrites = !config.dry_run && plan.unreadable.empty() && has_room;
  if (rewrites) RETURN_IF_ERROR(Rewrite(config, target, &plan));
  const Json json = ReportAsJson(config, target, refusal, plan, rewrites);
  Outcome outcome = {ReportAsText(json), json};
  if (json["interrupted"] == true) outcome.exit_code = kExitInterrupted;
  return outcome;
}

Runner DeclareMigrate(CLI::App* app) {
  const auto config = std::make_shared<MigrateConfig>();
  app->add_option("database", config->db, "the database's folder")->required();
  app->add_option(
      "--wal_dir", config->wal_dir,
      "the folder of the database's write-ahead logs, needed if its OPTIONS "
      "name one other than its own: that one again or, for a copied or moved "
      "database, where they are now");
  app->add_option("--column_family", config->column_family,
                  "only this column family; default: all");
  app->add_option(
      "--policy", config->policy,
      "the policy to build filters with, such as linebloom:10 or "
      "linebloom:plain. With RocksDB's own, "
      "bloomfilter:10 or ribbonfilter:10, files with linebloom's filters get "
      "RocksDB's again. Default: the linebloom policy in the database's "
      "OPTIONS, or linebloom, which chooses the bits for the block cache");
  AddNumber(
      app, "--memory", &config->said.memory, Unit::kBytes, kSmallestCache,
      UINT64_MAX,
      "the application's block cache, by which linebloom chooses; by default "
      "as its info log says");
  AddNumber(
      app, "--hit_ratio", &config->said.hit_ratio, Unit::kShare, 0, 1,
      "share of its lookups for existing rows, by which linebloom chooses too; "
      "by default as its info log says");
  app->add_flag("--dry_run", config->dry_run,
                "say what would be rewritten and what that saves, and write "
                "nothing; another process may have the database open");
  return [config] { return RunMigrate(*config); };
}

}  // namespace

const Subcommand kMigrate = {
    "migrate",
    R"(rewrites files whose filter is missing, unusable or worse than the policy's.

Those that save the most reads per byte come first.

  linebloom migrate /var/lib/my_database --dry_run
  linebloom migrate /var/lib/my_database
  linebloom migrate /var/lib/my_database --policy=bloomfilter:10

Once rewritten, files need linebloom wherever they are read: RocksDB without it
reads their rows, but unfiltered. The last command is the way back: with one of
RocksDB's own policies, it rewrites the files that have linebloom's filters, and
those without any.

The database must not be open elsewhere, except for --dry_run. It is opened
with its own OPTIONS; RocksDB's own compactions pause. Files keep their level,
their rows and their permissions, and are compressed as the OPTIONS say. It can
be stopped and killed at any time and run again: files that are done stay as
they are.

Exits with 0; with 1 if a file is damaged or was left out, and stderr says why;
with 2 for bad usage or a database that is locked, damaged or needs the
application's plug-ins; with 130 after Ctrl-C. A damaged file stays as it is.)",
    DeclareMigrate};

}  // namespace linebloom::tools
