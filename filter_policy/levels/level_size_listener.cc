#include "filter_policy/levels/level_size_listener.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "filter_policy/levels/auto_bits.h"
#include "filter_policy/levels/live_files.h"
#include "filter_policy/levels/lookup_load.h"
#include "filter_policy/levels/rocksdb_cache.h"
#include "rocksdb/sst_file_reader.h"

namespace linebloom {
namespace {

using rocksdb::CompactionJobInfo;
using rocksdb::DB;
using rocksdb::FlushJobInfo;

// Listing the files takes about a microsecond for each. RocksDB reports the
// files that a flush or compaction adds and deletes, so with more than
// kFilesPerJob files, they are listed anew only occasionally, to notice changes
// that RocksDB doesn't report, such as moves by CompactRange().
constexpr size_t kFilesPerJob = 64;

// After other changes.
constexpr size_t kFilesPerUntoldChange = 1000;

// Each file takes a read or two, while a flush or compaction waits.
constexpr size_t kFiltersToReadAtOnce = 1000;

// Reads the properties of a file with one or two reads. Nothing if it can't be
// read or isn't a block-based table. DB::GetPropertiesOfAllTables() needs the
// handle of the column family, which listeners aren't given.
std::optional<FileTotals> ReadOldFile(rocksdb::Env* env,
                                      const rocksdb::LiveFileMetaData& file) {
  rocksdb::Options options;  // without a policy, so no filter is read
  options.env = env;
  rocksdb::SstFileReader reader(options);
  try {
    if (reader.Open(file.db_path + file.name).ok()) {
      return TotalsOf(reader.GetTableProperties().get(), file.size);
    }
  } catch (const std::bad_alloc&) {
    // With a damaged footer RocksDB may attempt a huge allocation.
  }
  return std::nullopt;
}

// A database by its Env and path.
using DatabaseId = std::pair<const rocksdb::Env*, std::string>;

DatabaseId IdOf(DB* db) { return {db->GetEnv(), db->GetName()}; }

// The database whose job runs in this thread. RocksDB tells of a file only its
// database's path, which several Envs may have.
thread_local DatabaseId database_of_this_thread;

// The name by which RocksDB's Configurable finds the listener's ListenerApi.
constexpr char kListenerApi[] = "linebloom_level_sizes.api";

// Only this copy of the library has its address.
char this_copy = 0;

class LevelSizeListener final : public rocksdb::EventListener,
                                public ListenerApi {
 public:
  LevelSizeListener() {
    RegisterOptions(kListenerApi, static_cast<ListenerApi*>(this), nullptr);
  }

  const char* Name() const override { return kLevelSizeListenerName; }

  void OverrideTree(std::shared_ptr<const TreeState> tree) override {
    linebloom::OverrideTree(std::move(tree));
  }

  BitsChooser ChooserFor(DB* db, const std::string& column_family) override {
    BeginJob(db);
    return MakeChooser(IdOf(db), column_family);
  }

  const void* Copy() const override { return &this_copy; }

  void OnFlushBegin(DB* db, const FlushJobInfo& job) override {
    BeginJob(db);
    // RocksDB tells a single family's size only to holders of its handle.
    uint64_t waiting = 0;
    db->GetAggregatedIntProperty(DB::Properties::kNumEntriesImmMemTables,
                                 &waiting);
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_[IdOf(db)].files.BeginFlush(job.cf_name,
                                          static_cast<double>(waiting));
  }

  void OnFlushCompleted(DB* db, const FlushJobInfo& job) override {
    StartSession(db);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      databases_[IdOf(db)].files.EndFlush(job);
    }
    ListFilesIfDue(db, kFilesPerJob);
  }

  void OnCompactionBegin(DB* db, const CompactionJobInfo& job) override {
    BeginJob(db);
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_[IdOf(db)].files.BeginCompaction(job);
  }

  void OnCompactionCompleted(DB* db, const CompactionJobInfo& job) override {
    StartSession(db);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      databases_[IdOf(db)].files.EndCompaction(job);
    }
    ListFilesIfDue(db, kFilesPerJob);
  }

  void OnExternalFileIngested(
      DB* db, const rocksdb::ExternalFileIngestionInfo& /*info*/) override {
    StartSession(db);
    ListFilesIfDue(db, kFilesPerUntoldChange);
  }

  void OnTableFileCreationStarted(
      const rocksdb::TableFileCreationBriefInfo& info) override {
    NewFile file;
    file.column_family = info.cf_name;
    file.reason = info.reason;
    // Recovery is part of opening the database; earlier sizes are out of date.
    if (info.reason != rocksdb::TableFileCreationReason::kRecovery) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (const auto* const found = FindByPath(info.db_name)) {
        const auto& [id, database] = *found;
        file.info_log = database.info_log;
        file.choose = MakeChooser(id, info.cf_name);
        database.files.Describe(info.job_id, &file);
      }
    }
    BeginFile(std::move(file));
  }

  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    EndFile();
    if (!info.status.ok()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (auto* const found = FindByPath(info.db_name)) {
      const bool is_compacted =
          info.reason == rocksdb::TableFileCreationReason::kCompaction;
      found->second.files.Create(
          info.file_path, TotalsOf(&info.table_properties, info.file_size),
          info.file_size, is_compacted ? &info.job_id : nullptr);
      NoteLostFilters(info, &found->second);
    }
  }

  void OnTableFileDeleted(const rocksdb::TableFileDeletionInfo& info) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (auto* const found = FindByPath(info.db_name)) {
      found->second.files.Delete(info.file_path);
    }
  }

  // RocksDB doesn't tell listeners that a database is closed. But it deletes
  // its own handle of the default column family then, and only then.
  void OnColumnFamilyHandleDeletionStarted(
      rocksdb::ColumnFamilyHandle* handle) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(databases_, [&](const auto& database) {
      return database.second.default_family == handle;
    });
    if (databases_.empty()) choices_.clear();
  }

 private:
  // Of a column family.
  struct Table {
    const rocksdb::Cache* cache = nullptr;  // null: not known yet
    rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel;
    // The answers of the policy's filters: `all` probes, `hits` positives.
    LookupWindow answers;
  };

  struct Database {
    // RocksDB's session ID, constant while the database is open. RocksDB
    // doesn't report that a database is closed or destroyed, and another one
    // may be opened at the same path.
    std::string session;
    const rocksdb::ColumnFamilyHandle* default_family = nullptr;
    rocksdb::Logger* info_log = nullptr;
    std::shared_ptr<rocksdb::Statistics> statistics;
    std::set<std::string> without_policy;  // families that were told of
    LiveFiles files;
    LookupWindow lookups;
    // Of column families that have chosen, and of the last of them.
    std::map<std::string, Table> tables;
    Table last_table;
  };
  using Databases = std::map<DatabaseId, Database>;

  // Bindings that set table options only for families that they create lose the
  // filters whenever the database is opened again.
  static void NoteLostFilters(const rocksdb::TableFileCreationInfo& info,
                              Database* database) {
    const auto& families = database->files.families();
    const auto family = families.find(info.cf_name);
    if (!info.table_properties.filter_policy_name.empty() ||
        info.table_properties.num_entries == 0 || family == families.end() ||
        family->second.live.filters.bits <= 0 ||
        !database->without_policy.insert(info.cf_name).second) {
      return;
    }
    rocksdb::Log(
        rocksdb::InfoLogLevel::WARN_LEVEL, database->info_log,
        "linebloom: column family '%s' has no filter policy, but files with "
        "filters: its new files get none, and lookups of missing rows will "
        "read them. Set BlockBasedTableOptions::filter_policy for each family "
        "each time that the database is opened.",
        info.cf_name.c_str());
  }

  // The database that an event without one is about; null if that isn't sure.
  Databases::value_type* FindByPath(const std::string& path) {
    Databases::value_type* found = nullptr;
    for (Databases::value_type& database : databases_) {
      if (database.first.second != path) continue;
      if (database.first == database_of_this_thread) return &database;
      if (found != nullptr) return nullptr;
      found = &database;
    }
    return found;
  }

  // Forgets what is known of an earlier database at the same path.
  void StartSession(DB* db) {
    std::string session;
    if (!db->GetDbSessionId(session).ok()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (databases_[IdOf(db)].session == session) return;
    }
    // Acquires the database's mutex, so ours must be free.
    const rocksdb::DBOptions options = db->GetDBOptions();
    const std::lock_guard<std::mutex> lock(mutex_);
    Database& database = databases_[IdOf(db)];
    if (database.session == session) return;
    database = Database();
    database.session = session;
    database.default_family = db->DefaultColumnFamily();
    database.info_log = options.info_log.get();
    database.statistics = options.statistics;
  }

  // For a job of this thread.
  void BeginJob(DB* db) {
    StartSession(db);
    database_of_this_thread = IdOf(db);
    ListFilesIfDue(db, 0);
    const std::lock_guard<std::mutex> lock(mutex_);
    Database& database = databases_[IdOf(db)];
    if (database.statistics != nullptr) {
      database.lookups.Sample(LookupsOf(*database.statistics));
    }
  }

  // Doesn't hold our mutex while RocksDB works, since RocksDB acquires its own.
  void ListFilesIfDue(DB* db, size_t files_per_event) {
    uint64_t version = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      LiveFiles& files = databases_[IdOf(db)].files;
      if (!files.IsDue(files_per_event)) return;
      version = files.version();
    }
    std::vector<rocksdb::LiveFileMetaData> listed;
    db->GetLiveFilesMetaData(&listed);
    std::vector<const rocksdb::LiveFileMetaData*> unread;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      unread =
          databases_[IdOf(db)].files.FilesToRead(listed, kFiltersToReadAtOnce);
    }
    for (const rocksdb::LiveFileMetaData* file : unread) {
      const auto totals = ReadOldFile(db->GetEnv(), *file);
      const std::lock_guard<std::mutex> lock(mutex_);
      databases_[IdOf(db)].files.Read(file->name, totals);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_[IdOf(db)].files.List(listed, version);
  }

  BitsChooser MakeChooser(const DatabaseId& id, const std::string& family) {
    return [this, id, family](const NewFile& file,
                              const rocksdb::BlockBasedTableOptions& table) {
      return Choose(id, family, file.style, table);
    };
  }

  AutoBits Choose(const DatabaseId& id, const std::string& family,
                  rocksdb::CompactionStyle style,
                  const rocksdb::BlockBasedTableOptions& table) {
    const rocksdb::Cache* const cache = table.block_cache.get();
    CacheLoad load;
    load.cache = CacheOf(table);
    load.used_bytes = static_cast<double>(cache->GetUsage());
    load.pinned_bytes = static_cast<double>(cache->GetPinnedUsage());
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = databases_.find(id);
    if (found == databases_.end()) return {};
    Table& known = found->second.tables[family];
    known.cache = cache;
    known.style = style;
    const rocksdb::FilterPolicy* const policy = table.filter_policy.get();
    const auto* const sample =
        policy == nullptr ? nullptr
                          : policy->GetOptions<AnswerSample>(kAnswerSample);
    if (sample != nullptr) {
      known.answers.Sample({.all = static_cast<double>(sample->probes),
                            .hits = static_cast<double>(sample->positives)});
    }
    found->second.last_table = known;
    for (const auto& [other, database] : databases_) {
      AddTrees(database, cache, &load);
    }
    return load.trees.empty() ? AutoBits() : choices_[cache].Next(load);
  }

  // Adds the families that use the cache, as far as known.
  static void AddTrees(const Database& database, const rocksdb::Cache* cache,
                       CacheLoad* load) {
    const auto first = static_cast<std::ptrdiff_t>(load->trees.size());
    double rows = 0;
    for (const auto& [name, family] : database.files.families()) {
      const auto known = database.tables.find(name);
      const Table& table =
          known == database.tables.end() ? database.last_table : known->second;
      if (family.tree == nullptr ||
          (table.cache != nullptr && table.cache != cache)) {
        continue;
      }
      load->trees.push_back(ModelOf(family, table.style));
      load->trees.back().lookups = family.live.Total();
      if (database.statistics == nullptr) {
        const Lookups& answers = table.answers.recent();
        load->lookups.Add(LookupsBehind(family, answers.all, answers.hits));
        load->sampled = true;
      }
      rows += family.live.Total();
      load->totals.Add(family.live.filters);
      for (const FileTotals& file : family.level0) load->level0.Add(file);
    }
    if (rows <= 0 || database.statistics == nullptr) return;
    load->lookups.Add(database.lookups.recent());
    // RocksDB doesn't count lookups by column family.
    for (auto tree = load->trees.begin() + first; tree != load->trees.end();
         ++tree) {
      tree->lookups *= database.lookups.recent().all / rows;
    }
  }

  mutable std::mutex mutex_;
  Databases databases_;
  std::map<const rocksdb::Cache*, SteadyChoice> choices_;
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
  return std::make_unique<LevelSizeListener>();
}

}  // namespace linebloom
