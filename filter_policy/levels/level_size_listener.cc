#include "filter_policy/levels/level_size_listener.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/levels/new_file.h"
#include "filter_policy/levels/tree_state.h"
#include "filter_policy/policy/running_rocksdb.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/sst_file_reader.h"
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

// After other changes.
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
    filter.keys = static_cast<double>(properties.num_filter_entries > 0
                                          ? properties.num_filter_entries
                                          : properties.num_entries);
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
  rocksdb::Options options;  // without a policy, so no filter is read
  options.env = env;
  rocksdb::SstFileReader reader(options);
  try {
    if (reader.Open(file.db_path + file.name).ok()) {
      const auto properties = reader.GetTableProperties();
      if (properties != nullptr) return FilterOf(*properties);
    }
  } catch (const std::bad_alloc&) {
    // RocksDB allocates what a damaged footer says.
  }
  return {.rows = static_cast<double>(file.num_entries)};
}

// A running compaction, as if it had finished and dropped nothing.
struct CompactionInTree {
  std::shared_ptr<const TreeState> tree;
  double input_keys = 0;
};

// True if RocksDB only moved files down (a trivial move). It then lists the
// same files as input and output.
bool OnlyMoved(const CompactionJobInfo& job) {
  return !job.input_files.empty() && job.input_files == job.output_files;
}

// The value of `key`; null if there is none.
template <typename Map>
auto* Find(Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

// A file's name without its folder, which is unique because a database never
// reuses a file number.
std::string FileNameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The name by which RocksDB's Configurable finds the listener's ListenerApi.
constexpr char kListenerApi[] = "linebloom_level_sizes.api";

// Only this copy of the library has its address.
char this_copy = 0;

class LevelSizeListener final : public rocksdb::EventListener,
                                public ListenerApi {
 public:
  explicit LevelSizeListener(const ExpectedLevelSizes& expected)
      : expected_(std::make_shared<TreeState>(TreeOf(expected))) {
    RegisterOptions(kListenerApi, static_cast<ListenerApi*>(this), nullptr);
  }

  const char* Name() const override { return kLevelSizeListenerName; }

  void WriteIntoTree(std::shared_ptr<const TreeState> tree,
                     double all_keys) override {
    linebloom::WriteIntoTree(std::move(tree), all_keys);
  }

  const void* Copy() const override { return &this_copy; }

  void OnFlushBegin(DB* db, const FlushJobInfo& job) override {
    StartSession(db);
    UpdateTreesIfDue(db, 0);
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
      FamilyState& family = database.families[job.cf_name];
      family.last_flush = static_cast<double>(job.table_properties.num_entries);
      Place(job.file_path, 0, &database, &family);
      EndJob(&database, &family);
    }
    UpdateTreesIfDue(db, kFilesPerJob);
  }

  void OnCompactionBegin(DB* db, const CompactionJobInfo& job) override {
    StartSession(db);
    UpdateTreesIfDue(db, 0);
    FilterTotals inputs;
    for (const auto& [path, properties] : job.table_properties) {
      inputs.Add(FilterOf(*properties));
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    Database& database = databases_[db->GetName()];
    const FamilyState& family = database.families[job.cf_name];
    // Don't mix expected sizes with real ones.
    if (family.tree == nullptr || family.tree == expected_) return;
    TreeState tree = *family.tree;
    for (const std::string& path : job.input_files) {
      const KnownFile* const file = Find(database.files, FileNameOf(path));
      if (file == nullptr || file->level < 0) continue;
      tree.Remove(file->filter, file->level);
    }
    tree.Add(inputs.rows, job.output_level);
    database.compactions[job.job_id] = {
        std::make_shared<const TreeState>(std::move(tree)), inputs.rows};
  }

  void OnCompactionCompleted(DB* db, const CompactionJobInfo& job) override {
    StartSession(db);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Database& database = databases_[db->GetName()];
      database.compactions.erase(job.job_id);
      FamilyState& family = database.families[job.cf_name];
      if (job.status.ok()) {
        if (job.base_input_level == 0) {
          family.moves = OnlyMoved(job) ? family.moves + 1 : 0;
        }
        for (const std::string& path : job.input_files) {
          Place(path, -1, &database, &family);
        }
        for (size_t i = 0; i < job.output_files.size(); ++i) {
          Place(job.output_files[i], job.output_file_infos[i].level, &database,
                &family);
        }
      }
      EndJob(&database, &family);
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
    NewFile file;
    file.column_family = info.cf_name;
    file.reason = info.reason;
    // Recovery is part of opening the database; earlier sizes are out of date.
    if (info.reason != rocksdb::TableFileCreationReason::kRecovery) {
      const std::lock_guard<std::mutex> lock(mutex_);
      FindTree(info, &file);
    }
    if (file.tree == nullptr && expected_->Total() > 0) file.tree = expected_;
    if (file.tree == expected_) {
      file.all_keys = std::max(file.all_keys, expected_->Total());
    }
    BeginFile(std::move(file));
  }

  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    EndFile();
    if (!info.status.ok()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (Database* const database = Find(databases_, info.db_name)) {
      database->files[FileNameOf(info.file_path)] = {
          FilterOf(info.table_properties)};
    }
  }

  void OnTableFileDeleted(const rocksdb::TableFileDeletionInfo& info) override {
    const std::string name = FileNameOf(info.file_path);
    const std::lock_guard<std::mutex> lock(mutex_);
    Database* const database = Find(databases_, info.db_name);
    if (database == nullptr) return;
    const KnownFile* const file = Find(database->files, name);
    // By DeleteFilesInRanges() or with its column family.
    if (file != nullptr && file->level >= 0) database->files_to_wait = 0;
    database->files.erase(name);
  }

  // RocksDB doesn't tell listeners that a database is closed. But it deletes
  // its own handle of the default column family then, and only then.
  void OnColumnFamilyHandleDeletionStarted(
      rocksdb::ColumnFamilyHandle* handle) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(databases_, [&](const auto& database) {
      return database.second.default_family == handle;
    });
  }

 private:
  struct FamilyState {
    TreeState live;  // the files alone
    // What files are told; null before the first look and without files.
    std::shared_ptr<const TreeState> tree;
    double last_flush = 0;  // in keys
    double to_flush = 0;    // keys that waited when its last flush began
    // How many times in a row files have left level 0 unchanged. If they do so
    // often, as in a load in key order, a flushed file reaches the last level
    // unchanged.
    int moves = 0;
  };

  struct Database {
    // RocksDB's session ID, constant while the database is open. RocksDB
    // doesn't report that a database is closed or destroyed, and another one
    // may be opened at the same path.
    std::string session;
    const rocksdb::ColumnFamilyHandle* default_family = nullptr;
    const rocksdb::Logger* info_log = nullptr;
    KnownFiles files;
    std::map<std::string, FamilyState> families;  // by name
    std::map<int, CompactionInTree> compactions;  // by job
    // Before the files are listed again: their number, less what each event
    // since has counted for.
    size_t files_to_wait = 0;
    // Changes with every job that ends and every list of the files.
    uint64_t version = 0;
  };

  // The keys that share a memory budget.
  double AllKeys() const {
    double keys = 0;
    for (const auto& [path, database] : databases_) {
      for (const auto& [name, family] : database.families) {
        keys += family.live.filters.all_keys();
      }
    }
    return keys;
  }

  // Sets what is known of the tree that the file will be in.
  void FindTree(const rocksdb::TableFileCreationBriefInfo& info,
                NewFile* file) const {
    const Database* const database = Find(databases_, info.db_name);
    if (database == nullptr) return;
    file->info_log = database->info_log;
    file->all_keys = AllKeys();
    if (const FamilyState* const family =
            Find(database->families, info.cf_name)) {
      file->tree = family->tree;
      if (file->is_flushed()) file->input_keys = family->to_flush;
    }
    if (const auto* compaction = Find(database->compactions, info.job_id)) {
      file->tree = compaction->tree;
      file->input_keys = compaction->input_keys;
    }
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
    database = Database();
    database.session = session;
    database.default_family = db->DefaultColumnFamily();
    database.info_log = info_log;
  }

  // Lists the files if so many events have passed that each counts for
  // `files_per_event` files. With 0 only if they never were.
  void UpdateTreesIfDue(DB* db, size_t files_per_event) {
    uint64_t version = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Database& database = databases_[db->GetName()];
      if (database.files_to_wait > files_per_event) {
        database.files_to_wait -= files_per_event;
        return;
      }
      version = database.version;
    }
    UpdateTrees(db, version);
  }

  // Moves a file of the family to `level`, or away if that is -1. Does nothing
  // if the files were listed since it moved, or it was deleted since.
  static void Place(const std::string& path, int level, Database* database,
                    FamilyState* family) {
    KnownFile* const file = Find(database->files, FileNameOf(path));
    if (file == nullptr) return;
    if (file->level >= 0) family->live.Remove(file->filter, file->level);
    if (level >= 0) family->live.Add(file->filter, level);
    file->level = level;
  }

  // Ends a job that may have changed the family's files.
  void EndJob(Database* database, FamilyState* family) {
    ++database->version;
    SetTree(family);
  }

  void SetTree(FamilyState* family) const {
    TreeState tree = family->live;
    family->tree = nullptr;
    if (tree.Runs().empty()) return;
    tree.last_flush = family->last_flush;
    tree.in_order = family->moves >= kMovesOfALoadInOrder;
    family->tree = tree.Total() < expected_->Total()
                       ? expected_
                       : std::make_shared<const TreeState>(std::move(tree));
  }

  // Lists the files, unless the database's version is no longer `version` when
  // that is done. Doesn't hold our mutex while RocksDB works, since RocksDB
  // acquires its own.
  void UpdateTrees(DB* db, uint64_t version) {
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    LearnFilters(db, files);
    const std::lock_guard<std::mutex> lock(mutex_);
    Database& database = databases_[db->GetName()];
    database.files_to_wait = 0;
    // A job has ended since, after which the files are listed anew.
    if (database.version != version) return;
    ++database.version;
    for (auto& [name, file] : database.files) file.level = -1;
    for (auto& [name, family] : database.families) family.live = {};
    for (const rocksdb::LiveFileMetaData& file : files) {
      const auto [at, is_new] =
          database.files.try_emplace(FileNameOf(file.name));
      KnownFile& known = at->second;
      if (is_new) known.filter.unknown = static_cast<double>(file.num_entries);
      known.level = file.level;
      database.families[file.column_family_name].live.Add(known.filter,
                                                          known.level);
    }
    for (auto& [name, family] : database.families) SetTree(&family);
    // A column family without rows was dropped or is as good as new.
    std::erase_if(database.families, [](const auto& family) {
      return family.second.tree == nullptr;
    });
    database.files_to_wait = files.size();
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
        const KnownFile* const found = Find(known, FileNameOf(file.name));
        if (found == nullptr || found->filter.unknown > 0) {
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

  const std::shared_ptr<const TreeState> expected_;  // empty: nothing
  mutable std::mutex mutex_;
  std::map<std::string, Database> databases_;  // by path
};

}  // namespace

ListenerApi* ApiOf(rocksdb::EventListener* listener) {
  return listener == nullptr ? nullptr
                             : listener->GetOptions<ListenerApi>(kListenerApi);
}

bool IsOfThisCopy(const rocksdb::EventListener& listener) {
  const auto* const api = listener.GetOptions<ListenerApi>(kListenerApi);
  return api != nullptr && api->Copy() == &this_copy;
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
