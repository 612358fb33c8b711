#include "filter_policy/levels/level_size_listener.h"

#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "filter_policy/levels/compaction_in_tree.h"
#include "filter_policy/levels/family_heat.h"
#include "filter_policy/levels/file_in_tree.h"
#include "filter_policy/levels/filter_account.h"
#include "filter_policy/levels/heat_use.h"
#include "filter_policy/levels/known_filters.h"
#include "filter_policy/levels/tree_sizes.h"
#include "filter_policy/rocksdb/running_rocksdb.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table_properties.h"

namespace linebloom {
namespace {

using rocksdb::CompactionJobInfo;
using rocksdb::DB;
using rocksdb::FlushJobInfo;

// Up to this many files, listing them after every flush and compaction is
// cheap.
constexpr size_t kFilesToLookAtOften = 1000;

// Each file takes a read or two, while a flush or compaction waits.
constexpr size_t kFilesToLearnAtOnce = 1000;

// Fewer moves in a row also happen while a level is still empty.
constexpr int kMovesOfALoadInOrder = 3;

TreeSizes TreeOf(const ExpectedLevelSizes& expected) {
  TreeSizes tree;
  if (expected.keys.empty()) return tree;
  if (expected.keys[0] > 0 && expected.level0_files > 0) {
    tree.flush = static_cast<double>(expected.keys[0]) /
                 static_cast<double>(expected.level0_files);
    tree.level0_files.assign(expected.level0_files, tree.flush);
  }
  tree.levels.assign(expected.keys.begin() + 1, expected.keys.end());
  return tree;
}

// The name by which RocksDB's Configurable finds the listener's HeatSource.
constexpr char kHeatSource[] = "linebloom_level_sizes.heat";

class LevelSizeListener final : public rocksdb::EventListener,
                                public HeatSource {
 public:
  explicit LevelSizeListener(const ExpectedLevelSizes& expected)
      : expected_(std::make_shared<TreeSizes>(TreeOf(expected))),
        expected_keys_(expected_->Total()) {
    RegisterOptions(kHeatSource, static_cast<HeatSource*>(this), nullptr);
  }

  const char* Name() const override { return kLevelSizeListenerName; }

  std::shared_ptr<const HeatProfile> HeatOf(
      const std::string& database, const std::string& family) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = databases_.find(database);
    if (known == databases_.end()) return nullptr;
    const auto heat = known->second.heat.find(family);
    return heat == known->second.heat.end() ? nullptr : heat->second.profile();
  }

  void OnFlushBegin(DB* db, const FlushJobInfo& job) override {
    Enter(db);
    LookOnce(db);
    // RocksDB tells the size of a single family only to who has its handle.
    uint64_t waiting = 0;
    db->GetAggregatedIntProperty(DB::Properties::kNumEntriesImmMemTables,
                                 &waiting);
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_[db->GetName()].to_flush[job.cf_name] =
        static_cast<double>(waiting);
  }

  void OnFlushCompleted(DB* db, const FlushJobInfo& job) override {
    Enter(db);
    account_->EndJob(db->GetName(), job.job_id, true);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      databases_[db->GetName()].flushes[job.cf_name] =
          static_cast<double>(job.table_properties.num_entries);
    }
    LookAgain(db);
  }

  void OnCompactionBegin(DB* db, const CompactionJobInfo& job) override {
    Enter(db);
    // The inputs take the counts of their reads with them.
    if (heat_use_->Of(db->GetName()).empty()) {
      LookOnce(db);
    } else {
      LookAgain(db);
    }
    account_->BeginCompaction(db->GetName(), job.job_id, FiltersOfInputs(job));
    const std::lock_guard<std::mutex> lock(mutex_);
    Database& database = databases_[db->GetName()];
    const auto tree = database.trees.find(job.cf_name);
    // Don't mix expected sizes with real ones.
    if (tree == database.trees.end() || tree->second == expected_) return;
    CompactionInTree& compaction = database.compactions[job.job_id];
    compaction = Finish(job, database.filters, *tree->second);
    const auto heat = database.heat.find(job.cf_name);
    if (heat != database.heat.end()) {
      compaction.range = heat->second.RangeOf(job.input_files);
    }
  }

  void OnCompactionCompleted(DB* db, const CompactionJobInfo& job) override {
    Enter(db);
    account_->EndJob(db->GetName(), job.job_id,
                     job.status.ok() && job.input_files != job.output_files);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Database& database = databases_[db->GetName()];
      database.compactions.erase(job.job_id);
      if (job.base_input_level == 0) {
        const bool moved = MovedFlushedFiles(job);
        int& moves = database.moves[job.cf_name];
        moves = moved ? moves + 1 : 0;
        if (!moved) database.merged.insert(job.cf_name);
      }
    }
    LookAgain(db);
  }

  void OnExternalFileIngested(
      DB* db, const rocksdb::ExternalFileIngestionInfo& /*info*/) override {
    Enter(db);
    LookAgain(db);
  }

  void OnTableFileCreationStarted(
      const rocksdb::TableFileCreationBriefInfo& info) override {
    FileInTree file;
    file.column_family = info.cf_name;
    file.reason = info.reason;
    file.account = account_;
    file.heat_use = heat_use_;
    file.place = {info.db_name, info.job_id, FileNameOf(info.file_path)};
    // Recovery is part of opening the database; earlier sizes are out of date.
    if (info.reason != rocksdb::TableFileCreationReason::kRecovery) {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto database = databases_.find(info.db_name);
      if (database != databases_.end()) {
        Describe(database->second, info, &file);
      }
    }
    if (file.tree == nullptr && expected_keys_ > 0) file.tree = expected_;
    BeginFile(std::move(file));
  }

  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    EndFile();
    const std::string name = FileNameOf(info.file_path);
    if (!info.status.ok()) {
      account_->DropFile(info.db_name, name);
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto database = databases_.find(info.db_name);
    if (database == databases_.end()) {
      // The database is being opened, and if it closes before its first flush,
      // nobody will say so.
      heat_use_->Forget(info.db_name);
      return;
    }
    database->second.filters[name] = FilterOf(info.table_properties);
  }

  void OnTableFileDeleted(const rocksdb::TableFileDeletionInfo& info) override {
    const std::string name = FileNameOf(info.file_path);
    account_->DropFile(info.db_name, name);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto database = databases_.find(info.db_name);
    if (database != databases_.end()) database->second.filters.erase(name);
  }

  // RocksDB doesn't tell listeners that a database is closed. But it deletes
  // its own handle of the default column family then, and only then.
  void OnColumnFamilyHandleDeletionStarted(
      rocksdb::ColumnFamilyHandle* handle) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto database = databases_.begin(); database != databases_.end();
         ++database) {
      if (database->second.default_family != handle) continue;
      account_->Forget(database->first);
      heat_use_->Forget(database->first);
      databases_.erase(database);
      return;
    }
  }

 private:
  using Trees = std::map<std::string, std::shared_ptr<const TreeSizes>>;

  struct Database {
    // RocksDB's session ID, constant while the database is open. RocksDB
    // doesn't report that a database is closed or destroyed, and another one
    // may be opened at the same path.
    std::string session;
    const rocksdb::ColumnFamilyHandle* default_family = nullptr;
    const rocksdb::Logger* info_log = nullptr;
    KnownFilters filters;
    Trees trees;                            // by column family
    std::map<std::string, double> flushes;  // keys of the last one
    // The keys that waited to be flushed when a family's flush began.
    std::map<std::string, double> to_flush;
    // How many times in a row files have left level 0 unchanged. If they do so
    // often, as in a load in key order, a flushed file reaches the last level
    // unchanged.
    std::map<std::string, int> moves;
    std::set<std::string> merged;  // families whose flushed files were merged
    std::optional<bool> began_empty;              // at the first look
    std::map<int, CompactionInTree> compactions;  // by job
    std::map<std::string, FamilyHeat> heat;       // of families that use it
    size_t events_to_wait = 0;  // before the files are listed again
  };

  static void Describe(const Database& database,
                       const rocksdb::TableFileCreationBriefInfo& info,
                       FileInTree* file) {
    file->info_log = database.info_log;
    const auto tree = database.trees.find(info.cf_name);
    if (tree != database.trees.end()) file->tree = tree->second;
    const auto heat = database.heat.find(info.cf_name);
    if (heat != database.heat.end()) file->heat = heat->second.profile();
    if (info.reason == rocksdb::TableFileCreationReason::kFlush) {
      const auto waiting = database.to_flush.find(info.cf_name);
      if (waiting != database.to_flush.end()) {
        file->input_keys = waiting->second;
      }
    }
    const auto compaction = database.compactions.find(info.job_id);
    if (compaction == database.compactions.end()) return;
    file->tree = compaction->second.tree;
    file->level0_run = compaction->second.input_keys;
    file->input_keys = compaction->second.input_keys;
    file->range = compaction->second.range;
  }

  // Forgets what is known of an earlier database at the same path.
  void Enter(DB* db) {
    std::string session;
    if (!db->GetDbSessionId(session).ok()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (databases_[db->GetName()].session == session) return;
    }
    // Acquires the database's mutex, so ours must be free.
    const rocksdb::Logger* const info_log = db->GetDBOptions().info_log.get();
    const std::lock_guard<std::mutex> lock(mutex_);
    Database& database = databases_[db->GetName()];
    if (database.session == session) return;
    account_->Forget(db->GetName());
    heat_use_->Forget(db->GetName());
    database = Database();
    database.session = session;
    database.default_family = db->DefaultColumnFamily();
    database.info_log = info_log;
  }

  void LookOnce(DB* db) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!databases_[db->GetName()].trees.empty()) return;
    }
    Look(db);
  }

  void LookAgain(DB* db) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      size_t& events = databases_[db->GetName()].events_to_wait;
      if (events > 0) {
        --events;
        return;
      }
    }
    Look(db);
  }

  // Doesn't hold our mutex while RocksDB works, since RocksDB acquires its own.
  void Look(DB* db) {
    std::vector<rocksdb::LiveFileMetaData> files;
    const uint64_t version = account_->VersionOf(db->GetName());
    db->GetLiveFilesMetaData(&files);
    if (account_->is_used()) LearnFilters(db, files);
    const std::set<std::string> under_way =
        account_->FilesUnderWay(db->GetName());
    std::set<std::string> installed;
    FilterTotals live;
    std::map<std::string, TreeSizes> sizes;
    const std::lock_guard<std::mutex> lock(mutex_);
    Database& database = databases_[db->GetName()];
    for (const rocksdb::LiveFileMetaData& file : files) {
      const std::string name = FileNameOf(file.name);
      const auto rows = static_cast<double>(file.num_entries);
      TreeSizes& tree = sizes[file.column_family_name];
      tree.Add(rows, file.level);
      if (!tree.filters.has_value()) tree.filters.emplace();
      AddFile(database.filters, name, rows, &*tree.filters);
      AddFile(database.filters, name, rows, &live);
      if (under_way.count(name) > 0) installed.insert(name);
    }
    account_->SetLive(db->GetName(), version, live, installed);
    database.events_to_wait = files.size() / kFilesToLookAtOften;
    UpdateHeat(db->GetName(), files, &database.heat);
    database.trees.clear();
    if (!database.began_empty) database.began_empty = files.empty();
    ForgetDropped(sizes, &database.flushes);
    ForgetDropped(sizes, &database.to_flush);
    ForgetDropped(sizes, &database.moves);
    std::erase_if(database.merged, [&sizes](const std::string& family) {
      return sizes.count(family) == 0;
    });
    for (auto& [column_family, tree] : sizes) {
      tree.last_flush = database.flushes[column_family];
      const bool in_order =
          database.moves[column_family] >= kMovesOfALoadInOrder;
      tree.flush = in_order ? tree.LargestRun() : tree.last_flush;
      tree.may_be_in_order =
          in_order ||
          (*database.began_empty && database.merged.count(column_family) == 0);
      database.trees[column_family] =
          tree.Total() < expected_keys_
              ? expected_
              : std::make_shared<const TreeSizes>(std::move(tree));
    }
  }

  void UpdateHeat(const std::string& database,
                  const std::vector<rocksdb::LiveFileMetaData>& files,
                  std::map<std::string, FamilyHeat>* heat) {
    const HeatUse::HalfLives half_lives = heat_use_->Of(database);
    std::map<std::string, std::vector<const rocksdb::LiveFileMetaData*>> used;
    for (const rocksdb::LiveFileMetaData& file : files) {
      if (half_lives.count(file.column_family_name) > 0) {
        used[file.column_family_name].push_back(&file);
      }
    }
    const FamilyHeat::Clock::time_point now = FamilyHeat::Clock::now();
    for (const auto& [family, half_life] : half_lives) {
      const auto of_family = used.find(family);
      if (of_family == used.end()) {
        heat->erase(family);
        heat_use_->Forget(database, family);
        continue;
      }
      (*heat)[family].Update(of_family->second,
                             std::chrono::duration<double>(half_life), now);
    }
  }

  // A column family without files was dropped or is as good as new.
  template <typename T>
  static void ForgetDropped(const std::map<std::string, TreeSizes>& sizes,
                            std::map<std::string, T>* by_family) {
    for (auto family = by_family->begin(); family != by_family->end();) {
      family = sizes.count(family->first) > 0 ? std::next(family)
                                              : by_family->erase(family);
    }
  }

  // Learns the sizes of filters older than the listener, some at each look.
  // Doesn't hold the mutex while it reads the files.
  void LearnFilters(DB* db,
                    const std::vector<rocksdb::LiveFileMetaData>& files) {
    std::vector<std::string> unknown;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const KnownFilters& known = databases_[db->GetName()].filters;
      for (const rocksdb::LiveFileMetaData& file : files) {
        if (unknown.size() == kFilesToLearnAtOnce) break;
        if (known.count(FileNameOf(file.name)) == 0) {
          unknown.push_back(file.db_path + file.name);
        }
      }
    }
    for (const std::string& path : unknown) {
      const KnownFilter filter = ReadOldFilter(db->GetEnv(), path);
      const std::lock_guard<std::mutex> lock(mutex_);
      databases_[db->GetName()].filters[FileNameOf(path)] = filter;
    }
  }

  const std::shared_ptr<const TreeSizes> expected_;
  const double expected_keys_;
  const std::shared_ptr<FilterAccount> account_ =
      std::make_shared<FilterAccount>();
  const std::shared_ptr<HeatUse> heat_use_ = std::make_shared<HeatUse>();
  mutable std::mutex mutex_;
  std::map<std::string, Database> databases_;  // by path
};

}  // namespace

const HeatSource* HeatSourceOf(rocksdb::EventListener* listener) {
  return listener == nullptr ? nullptr
                             : listener->GetOptions<HeatSource>(kHeatSource);
}

rocksdb::EventListener* FindLevelSizeListener(
    const rocksdb::DBOptions& options) {
  for (const auto& listener : options.listeners) {
    if (listener != nullptr &&
        listener->Name() == std::string(kLevelSizeListenerName)) {
      return listener.get();
    }
  }
  return nullptr;
}

std::unique_ptr<rocksdb::EventListener> NewOwnedLevelSizeListener() {
  return std::make_unique<LevelSizeListener>(ExpectedLevelSizes());
}

std::shared_ptr<rocksdb::EventListener> NewLevelSizeListener() {
  return NewLevelSizeListener(ExpectedLevelSizes());
}

std::shared_ptr<rocksdb::EventListener> NewLevelSizeListener(
    const ExpectedLevelSizes& expected) {
  if (!RocksDbMismatch().empty()) return nullptr;
  return std::make_shared<LevelSizeListener>(expected);
}

}  // namespace linebloom
