#include "filter_policy/levels/level_size_listener.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/levels/account.h"
#include "filter_policy/levels/file_plan.h"
#include "filter_policy/levels/heat_use.h"
#include "filter_policy/levels/tree_state.h"
#include "filter_policy/rocksdb/running_rocksdb.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"

namespace linebloom {
namespace {

using rocksdb::CompactionJobInfo;
using rocksdb::DB;
using rocksdb::FlushJobInfo;

// Listing the files takes about a microsecond for each. RocksDB tells which
// files a flush or compaction adds and deletes, so after one of them files are
// listed anew only while there are so few, and otherwise from time to time, to
// learn of what RocksDB doesn't tell, such as moves by CompactRange().
constexpr size_t kFilesPerJob = 64;

// After other changes, and for the ranges of files that heat needs.
constexpr size_t kFilesPerUntoldChange = 1000;

// Each file takes a read or two, while a flush or compaction waits.
constexpr size_t kFiltersToReadAtOnce = 1000;

// Fewer moves in a row also happen while a level is still empty.
constexpr int kMovesOfALoadInOrder = 3;

TreeState TreeOf(const ExpectedLevelSizes& expected) {
  TreeState tree;
  if (expected.keys.empty()) return tree;
  if (expected.keys[0] > 0 && expected.level0_files > 0) {
    tree.last_flush = static_cast<double>(expected.keys[0]) /
                      static_cast<double>(expected.level0_files);
    tree.level0_files.assign(expected.level0_files, tree.last_flush);
  }
  // Without a level 0, flushed files are expected to be moved down.
  tree.in_order = tree.level0_files.empty();
  tree.levels.assign(expected.keys.begin() + 1, expected.keys.end());
  return tree;
}

struct KnownFile {
  FilterTotals filter;  // as the properties tell that every SSTable has
  int level = -1;       // -1: not live, as far as known

  double rows() const { return filter.rows + filter.unknown; }
};
using KnownFiles = std::unordered_map<std::string, KnownFile>;  // by name

// On average, of a filter that isn't partitioned.
constexpr double kBitsBeyondKeys =
    8 * (kFilterBlockOverhead + kLineBytes / 2.0);

FilterTotals FilterOf(const rocksdb::TableProperties& properties) {
  FilterTotals filter;
  filter.rows = static_cast<double>(properties.num_entries);
  filter.bits = 8 * static_cast<double>(properties.filter_size);
  if (filter.bits > 0) {
    filter.overhead = std::min(filter.bits, kBitsBeyondKeys);
    filter.keys = properties.num_filter_entries > 0
                      ? static_cast<double>(properties.num_filter_entries)
                      : filter.rows;
  } else if (!properties.filter_policy_name.empty()) {
    filter.unfiltered = filter.rows;
  }
  return filter;
}

// Reads the properties of a file with one or two reads. One that can't be read
// or isn't a block-based table counts as one without a filter.
// DB::GetPropertiesOfAllTables() needs the handle of the column family, which
// listeners aren't given.
FilterTotals ReadOldFilter(rocksdb::Env* env,
                           const rocksdb::LiveFileMetaData& file) {
  rocksdb::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;  // so that neither is read
  rocksdb::Options options;
  options.env = env;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileReader reader(options);
  if (reader.Open(file.db_path + file.name).ok()) {
    const auto properties = reader.GetTableProperties();
    if (properties != nullptr) return FilterOf(*properties);
  }
  FilterTotals none;
  none.rows = static_cast<double>(file.num_entries);
  return none;
}

// A running compaction, as if it had finished and dropped nothing.
struct CompactionInTree {
  std::string column_family;
  std::shared_ptr<const TreeState> tree;
  double input_keys = 0;
  size_t level0_inputs = 0;
  std::optional<KeyRange> range = std::nullopt;  // of the input, if known
};

// `tree` is as it was before the compaction.
CompactionInTree ApplyCompaction(const CompactionJobInfo& job,
                                 const KnownFiles& known, TreeState tree) {
  double input_keys = 0;
  size_t level0_inputs = 0;
  for (const std::string& path : job.input_files) {
    const auto file = known.find(FileNameOf(path));
    if (file != known.end() && file->second.level >= 0) {
      if (file->second.level == 0) ++level0_inputs;
      tree.Remove(file->second.rows(), file->second.level);
      tree.filters.Add(file->second.filter, -1);
    }
    // The table properties contain the entries of each input file.
    const auto found = job.table_properties.find(path);
    if (found != job.table_properties.end()) {
      input_keys += static_cast<double>(found->second->num_entries);
    }
  }
  tree.Add(input_keys, job.output_level);
  return {job.cf_name, std::make_shared<const TreeState>(std::move(tree)),
          input_keys, level0_inputs};
}

FilterTotals FiltersOfInputs(const CompactionJobInfo& job) {
  FilterTotals totals;
  for (const auto& [path, properties] : job.table_properties) {
    totals.Add(FilterOf(*properties));
  }
  return totals;
}

// True if RocksDB only moved files down (a trivial move). It then lists the
// same files as input and output.
bool OnlyMoved(const CompactionJobInfo& job) {
  return !job.input_files.empty() && job.input_files == job.output_files;
}

// The name by which RocksDB's Configurable finds the listener's HeatSource.
constexpr char kHeatSource[] = "linebloom_level_sizes.heat";

// The name of an address that only this copy of the library has.
constexpr char kCopy[] = "linebloom_level_sizes.copy";
char this_copy = 0;

class LevelSizeListener final : public rocksdb::EventListener,
                                public HeatSource {
 public:
  explicit LevelSizeListener(const ExpectedLevelSizes& expected)
      : expected_(std::make_shared<TreeState>(TreeOf(expected))),
        expected_keys_(expected_->Total()) {
    RegisterOptions(kHeatSource, static_cast<HeatSource*>(this), nullptr);
    RegisterOptions(kCopy, &this_copy, nullptr);
  }

  const char* Name() const override { return kLevelSizeListenerName; }

  std::shared_ptr<const HeatProfile> HeatOf(
      const std::string& database, const std::string& family) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = databases_.find(database);
    if (known == databases_.end()) return nullptr;
    const auto found = known->second.families.find(family);
    return found == known->second.families.end() ? nullptr
                                                 : found->second.heat.profile();
  }

  void OnFlushBegin(DB* db, const FlushJobInfo& job) override {
    StartSession(db);
    UpdateTreesOnce(db);
    // RocksDB tells a single family's size only to holders of its handle.
    uint64_t waiting = 0;
    db->GetAggregatedIntProperty(DB::Properties::kNumEntriesImmMemTables,
                                 &waiting);
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_[db->GetName()].families[job.cf_name].to_flush =
        static_cast<double>(waiting);
  }

  void OnFlushCompleted(DB* db, const FlushJobInfo& job) override {
    StartSession(db);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Database& database = databases_[db->GetName()];
      Family& family = database.families[job.cf_name];
      family.last_flush = static_cast<double>(job.table_properties.num_entries);
      FilterTotals change;
      Place(job.file_path, 0, &database, &family, &change);
      EndJob(db, job.job_id, change, &family);
    }
    UpdateTreesIfDue(db, kFilesPerJob);
  }

  void OnCompactionBegin(DB* db, const CompactionJobInfo& job) override {
    StartSession(db);
    // By heat, the outputs depend on the misses until now.
    if (heat_use_->IsUsed(db->GetName())) {
      UpdateTreesIfDue(db, kFilesPerUntoldChange);
    } else {
      UpdateTreesOnce(db);
    }
    account_->BeginCompaction(db->GetName(), job.job_id, FiltersOfInputs(job));
    const std::lock_guard<std::mutex> lock(mutex_);
    Database& database = databases_[db->GetName()];
    const Family& family = database.families[job.cf_name];
    // Don't mix expected sizes with real ones.
    if (family.tree == nullptr || family.tree == expected_) return;
    CompactionInTree& compaction = database.compactions[job.job_id];
    compaction = ApplyCompaction(job, database.files, *family.tree);
    compaction.range = family.heat.RangeOf(job.input_files);
  }

  void OnCompactionCompleted(DB* db, const CompactionJobInfo& job) override {
    StartSession(db);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Database& database = databases_[db->GetName()];
      database.compactions.erase(job.job_id);
      Family& family = database.families[job.cf_name];
      FilterTotals change;
      if (job.status.ok()) {
        if (job.base_input_level == 0) {
          family.moves = OnlyMoved(job) ? family.moves + 1 : 0;
          if (!OnlyMoved(job)) family.merged = true;
        }
        for (const std::string& path : job.input_files) {
          Place(path, -1, &database, &family, &change);
        }
        for (size_t i = 0; i < job.output_files.size(); ++i) {
          Place(job.output_files[i], job.output_file_infos[i].level, &database,
                &family, &change);
        }
      }
      EndJob(db, job.job_id, change, &family);
    }
    UpdateTreesIfDue(db, kFilesPerJob);
  }

  void OnExternalFileIngested(
      DB* db, const rocksdb::ExternalFileIngestionInfo& /*info*/) override {
    StartSession(db);
    UpdateTreesIfDue(db, kFilesPerUntoldChange);
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
        SetTreeAndHeat(database->second, info, &file);
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
    database->second.files[name] = {FilterOf(info.table_properties)};
  }

  void OnTableFileDeleted(const rocksdb::TableFileDeletionInfo& info) override {
    const std::string name = FileNameOf(info.file_path);
    account_->DropFile(info.db_name, name);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto database = databases_.find(info.db_name);
    if (database == databases_.end()) return;
    KnownFiles& files = database->second.files;
    const auto file = files.find(name);
    if (file == files.end()) return;
    // By DeleteFilesInRanges() or with its column family.
    if (file->second.level >= 0) database->second.files_to_wait = 0;
    files.erase(file);
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
  struct Family {
    TreeState live;  // the files alone
    // What files are told; null before the first look and without files.
    std::shared_ptr<const TreeState> tree;
    double last_flush = 0;  // in keys
    double to_flush = 0;    // keys that waited when its last flush began
    // How many times in a row files have left level 0 unchanged. If they do so
    // often, as in a load in key order, a flushed file reaches the last level
    // unchanged.
    int moves = 0;
    bool merged = false;  // true once flushed files were
    FamilyHeat heat;
  };

  struct Database {
    // RocksDB's session ID, constant while the database is open. RocksDB
    // doesn't report that a database is closed or destroyed, and another one
    // may be opened at the same path.
    std::string session;
    const rocksdb::ColumnFamilyHandle* default_family = nullptr;
    const rocksdb::Logger* info_log = nullptr;
    KnownFiles files;
    std::map<std::string, Family> families;       // by name
    std::optional<bool> began_empty;              // at the first look
    std::map<int, CompactionInTree> compactions;  // by job
    // Before the files are listed again: their number, less what each event
    // since has counted for.
    size_t files_to_wait = 0;
  };

  static void SetTreeAndHeat(const Database& database,
                             const rocksdb::TableFileCreationBriefInfo& info,
                             FileInTree* file) {
    file->info_log = database.info_log;
    const auto family = database.families.find(info.cf_name);
    if (family != database.families.end()) {
      file->tree = family->second.tree;
      file->heat = family->second.heat.profile();
      if (info.reason == rocksdb::TableFileCreationReason::kFlush) {
        file->input_keys = family->second.to_flush;
        file->level0_waiting = family->second.live.level0_files.size();
        for (const auto& [job, compaction] : database.compactions) {
          if (compaction.column_family != info.cf_name) continue;
          file->level0_waiting -=
              std::min(compaction.level0_inputs, file->level0_waiting);
        }
      }
    }
    const auto compaction = database.compactions.find(info.job_id);
    if (compaction == database.compactions.end()) return;
    file->tree = compaction->second.tree;
    file->input_keys = compaction->second.input_keys;
    file->range = compaction->second.range;
  }

  // Forgets what is known of an earlier database at the same path.
  void StartSession(DB* db) {
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

  void UpdateTreesOnce(DB* db) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (databases_[db->GetName()].began_empty.has_value()) return;
    }
    UpdateTrees(db);
  }

  void UpdateTreesIfDue(DB* db, size_t files_per_event) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      size_t& files = databases_[db->GetName()].files_to_wait;
      if (heat_use_->IsUsed(db->GetName())) {
        files_per_event = kFilesPerUntoldChange;
      }
      if (files > files_per_event) {
        files -= files_per_event;
        return;
      }
    }
    UpdateTrees(db);
  }

  // Moves a file of the family to `level`, or away if that is -1. Does nothing
  // if the files were listed since it moved, or it was deleted since.
  static void Place(const std::string& path, int level, Database* database,
                    Family* family, FilterTotals* change) {
    const auto found = database->files.find(FileNameOf(path));
    if (found == database->files.end()) return;
    KnownFile& file = found->second;
    const auto count = [&](double times) {
      family->live.filters.Add(file.filter, times);
      change->Add(file.filter, times);
    };
    if (file.level >= 0) {
      family->live.Remove(file.rows(), file.level);
      count(-1);
    }
    if (level >= 0) {
      family->live.Add(file.rows(), level);
      count(1);
    }
    file.level = level;
  }

  // Ends a job that has changed the live filters by `change`.
  void EndJob(DB* db, int job, const FilterTotals& change, Family* family) {
    account_->EndJob(db->GetName(), job, change);
    SetTree(databases_[db->GetName()], family);
  }

  void SetTree(const Database& database, Family* family) const {
    TreeState tree = family->live;
    family->tree = nullptr;
    if (tree.Runs().empty()) return;
    tree.last_flush = family->last_flush;
    tree.in_order = family->moves >= kMovesOfALoadInOrder;
    tree.may_be_in_order =
        tree.in_order ||
        (database.began_empty.value_or(false) && !family->merged);
    family->tree = tree.Total() < expected_keys_
                       ? expected_
                       : std::make_shared<const TreeState>(std::move(tree));
  }

  // Doesn't hold our mutex while RocksDB works, since RocksDB acquires its own.
  void UpdateTrees(DB* db) {
    std::vector<rocksdb::LiveFileMetaData> files;
    const uint64_t version = account_->VersionOf(db->GetName());
    db->GetLiveFilesMetaData(&files);
    LearnFilters(db, files);
    const std::set<std::string> under_way =
        account_->FilesUnderWay(db->GetName());
    std::set<std::string> installed;
    FilterTotals live;
    struct Listed {
      TreeState tree;
      std::vector<const rocksdb::LiveFileMetaData*> files;
    };
    std::map<std::string, Listed> listed;            // by column family
    std::vector<std::pair<KnownFile*, int>> levels;  // of the files
    const std::lock_guard<std::mutex> lock(mutex_);
    Database& database = databases_[db->GetName()];
    for (const rocksdb::LiveFileMetaData& file : files) {
      const std::string name = FileNameOf(file.name);
      const auto [at, is_new] = database.files.try_emplace(name);
      KnownFile& known = at->second;
      if (is_new) known.filter.unknown = static_cast<double>(file.num_entries);
      levels.emplace_back(&known, file.level);
      Listed& of_family = listed[file.column_family_name];
      of_family.files.push_back(&file);
      of_family.tree.Add(known.rows(), file.level);
      of_family.tree.filters.Add(known.filter);
      live.Add(known.filter);
      if (under_way.count(name) > 0) installed.insert(name);
    }
    if (!database.began_empty) database.began_empty = files.empty();
    database.files_to_wait = 0;
    // If not, a job has ended since, and whoever ended it lists them anew.
    if (!account_->SetLive(db->GetName(), version, live, installed)) return;
    database.files_to_wait = files.size();
    for (auto& [name, file] : database.files) file.level = -1;
    for (const auto& [file, level] : levels) file->level = level;
    // A column family without files was dropped or is as good as new.
    std::erase_if(database.families, [&](const auto& family) {
      if (listed.count(family.first) > 0) return false;
      heat_use_->Forget(db->GetName(), family.first);
      return true;
    });
    for (auto& [name, of_family] : listed) {
      Family& family = database.families[name];
      const auto heat = heat_use_->TakeSamples(db->GetName(), name);
      if (heat) {
        family.heat.Update(of_family.files, heat->missing, heat->half_life,
                           FamilyHeat::Clock::now());
      }
      family.live = std::move(of_family.tree);
      SetTree(database, &family);
    }
  }

  // Learns the sizes of filters older than the listener, some at each look.
  // Doesn't hold the mutex while it reads the files.
  void LearnFilters(DB* db,
                    const std::vector<rocksdb::LiveFileMetaData>& files) {
    std::vector<const rocksdb::LiveFileMetaData*> unknown;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const KnownFiles& known = databases_[db->GetName()].files;
      for (const rocksdb::LiveFileMetaData& file : files) {
        if (unknown.size() == kFiltersToReadAtOnce) break;
        const auto found = known.find(FileNameOf(file.name));
        if (found == known.end() || found->second.filter.unknown > 0) {
          unknown.push_back(&file);
        }
      }
    }
    for (const rocksdb::LiveFileMetaData* file : unknown) {
      const FilterTotals filter = ReadOldFilter(db->GetEnv(), *file);
      const std::lock_guard<std::mutex> lock(mutex_);
      KnownFiles& known = databases_[db->GetName()].files;
      known[FileNameOf(file->name)].filter = filter;
    }
  }

  const std::shared_ptr<const TreeState> expected_;
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

bool IsOfThisCopy(const rocksdb::EventListener& listener) {
  return listener.GetOptions<char>(kCopy) == &this_copy;
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
