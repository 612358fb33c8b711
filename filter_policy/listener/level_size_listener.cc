#include "filter_policy/listener/level_size_listener.h"

#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "filter_policy/tree/ledger.h"
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

// The name by which RocksDB's Configurable finds the listener's ListenerApi.
constexpr char kListenerApi[] = "linebloom_level_sizes.api";

// Only this copy of the library has its address.
char this_copy = 0;

UsersOfCache MakeUsersOf(const std::string& path, const std::string& family) {
  return [path, family](const NewFile& file,
                        const rocksdb::BlockBasedTableOptions& table) {
    return Ledger::OfProcess().UsersOf(path, family,
                                       {table.block_cache, file.line});
  };
}

// What the default family's table uses. Listeners aren't given the handles of
// other families.
TableUse TableUseOf(DB* db) {
  const rocksdb::Options options = db->GetOptions(db->DefaultColumnFamily());
  const auto* const table =
      options.table_factory == nullptr
          ? nullptr
          : options.table_factory
                ->GetOptions<rocksdb::BlockBasedTableOptions>();
  return {table == nullptr ? nullptr : table->block_cache};
}

// A handle to the process's ledger: it has nothing of its own.
class LevelSizeListener final : public rocksdb::EventListener,
                                public ListenerApi {
 public:
  LevelSizeListener() {
    RegisterOptions(kListenerApi, static_cast<ListenerApi*>(this), nullptr);
  }

  const char* Name() const override { return kLevelSizeListenerName; }

  void OverrideTree(std::shared_ptr<const TreeState> tree,
                    UsersOfCache users_of) override {
    linebloom::OverrideTree(std::move(tree), std::move(users_of));
  }

  UsersOfCache UsersFor(DB* db, const std::string& column_family) override {
    BeginJob(db);
    return MakeUsersOf(db->GetName(), column_family);
  }

  const void* Copy() const override { return &this_copy; }

  void OnFlushBegin(DB* db, const FlushJobInfo& job) override {
    is_in_job = true;
    BeginJob(db);
    // RocksDB tells a single family's size only to holders of its handle.
    uint64_t waiting = 0;
    db->GetAggregatedIntProperty(DB::Properties::kNumEntriesImmMemTables,
                                 &waiting);
    ledger_.Change(db->GetName(), [&](Database* database) {
      database->files.BeginFlush(job.cf_name, static_cast<double>(waiting));
    });
  }

  void OnFlushCompleted(DB* db, const FlushJobInfo& job) override {
    is_in_job = false;
    StartSession(db);
    ledger_.Change(db->GetName(),
                   [&](Database* database) { database->files.EndFlush(job); });
    ListFilesIfDue(db, kFilesPerJob);
  }

  void OnCompactionBegin(DB* db, const CompactionJobInfo& job) override {
    is_in_job = true;
    BeginJob(db);
    const auto size_of = [db](const std::string& path) {
      uint64_t bytes = 0;
      return db->GetEnv()->GetFileSize(path, &bytes).ok() ? bytes : 0;
    };
    ledger_.Change(db->GetName(), [&](Database* database) {
      database->files.BeginCompaction(job, size_of);
    });
  }

  void OnCompactionCompleted(DB* db, const CompactionJobInfo& job) override {
    is_in_job = false;
    StartSession(db);
    ledger_.Change(db->GetName(), [&](Database* database) {
      database->files.EndCompaction(job);
    });
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
      ledger_.Change(info.db_name, [&](Database* database) {
        file.info_log = database->info_log;
        file.users_of = MakeUsersOf(info.db_name, info.cf_name);
        database->files.Describe(info.job_id, &file);
      });
    }
    BeginFile(std::move(file));
  }

  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    EndFile();
    if (!info.status.ok()) return;
    ledger_.Change(info.db_name, [&](Database* database) {
      database->files.Create(info.file_path,
                             TotalsOf(&info.table_properties, info.file_size));
      NoteLostFilters(info, database);
    });
  }

  void OnTableFileDeleted(const rocksdb::TableFileDeletionInfo& info) override {
    ledger_.Change(info.db_name, [&](Database* database) {
      database->files.Delete(info.file_path);
    });
  }

  // RocksDB doesn't tell listeners that a database is closed. But it deletes
  // its own handle of the default column family then, and only then.
  void OnColumnFamilyHandleDeletionStarted(
      rocksdb::ColumnFamilyHandle* handle) override {
    ledger_.Close(handle);
  }

 private:
  // Bindings that set table options only for families that they create lose the
  // filters whenever the database is opened again.
  static void NoteLostFilters(const rocksdb::TableFileCreationInfo& info,
                              Database* database) {
    auto& families = database->files.families();
    const auto family = families.find(info.cf_name);
    if (!info.table_properties.filter_policy_name.empty() ||
        info.table_properties.num_entries == 0 || family == families.end() ||
        family->second.live.filters.bits <= 0 ||
        std::exchange(family->second.is_told_of_lost_filters, true)) {
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

  // Forgets what is known of an earlier database at the same path.
  void StartSession(DB* db) {
    Database database;
    if (!db->GetDbSessionId(database.session).ok() ||
        ledger_.IsOpen(db->GetName(), database.session)) {
      return;
    }
    // Acquires the database's mutex, so the ledger's must be free.
    const rocksdb::DBOptions options = db->GetDBOptions();
    database.default_family = db->DefaultColumnFamily();
    database.info_log = options.info_log.get();
    database.table = TableUseOf(db);
    database.statistics = options.statistics;
    ledger_.Open(db->GetName(), std::move(database));
  }

  void BeginJob(DB* db) {
    StartSession(db);
    ListFilesIfDue(db, 0);
  }

  // Doesn't hold the ledger's mutex while RocksDB works, since RocksDB acquires
  // its own.
  void ListFilesIfDue(DB* db, size_t files_per_event) {
    const std::string path = db->GetName();
    bool is_due = false;
    uint64_t version = 0;
    ledger_.Change(path, [&](Database* database) {
      is_due = database->files.IsDue(files_per_event);
      version = database->files.version();
    });
    if (!is_due) return;
    std::vector<rocksdb::LiveFileMetaData> listed;
    db->GetLiveFilesMetaData(&listed);
    std::vector<const rocksdb::LiveFileMetaData*> unread;
    ledger_.Change(path, [&](Database* database) {
      unread = database->files.FilesToRead(listed, kFiltersToReadAtOnce);
    });
    for (const rocksdb::LiveFileMetaData* file : unread) {
      const auto totals = ReadOldFile(db->GetEnv(), *file);
      ledger_.Change(path, [&](Database* database) {
        database->files.Read(file->name, totals);
      });
    }
    ledger_.Change(path, [&](Database* database) {
      database->files.List(listed, version);
    });
  }

  Ledger& ledger_ = Ledger::OfProcess();
};

}  // namespace

ListenerApi* FindListener(const rocksdb::DBOptions& options) {
  for (const auto& listener : options.listeners) {
    if (listener == nullptr) continue;
    auto* const api = listener->GetOptions<ListenerApi>(kListenerApi);
    if (api != nullptr) return api;
  }
  return nullptr;
}

bool HasListener(const rocksdb::DBOptions& options) {
  const ListenerApi* const api = FindListener(options);
  return api != nullptr && api->Copy() == &this_copy;
}

std::unique_ptr<rocksdb::EventListener> NewOwnedLevelSizeListener() {
  return std::make_unique<LevelSizeListener>();
}

}  // namespace linebloom
