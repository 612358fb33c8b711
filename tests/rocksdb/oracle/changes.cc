// The effects of steps on the database.
#include <filesystem>

#include "rocksdb/convenience.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/utilities/backup_engine.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/utilities/transaction_db.h"
#include "tests/rocksdb/oracle/oracle.h"

namespace linebloom {

using rocksdb::DB;

void Oracle::Use(const Policy& policy) {
  UsePolicy(policy);
  options_.table_properties_collector_factories = {RecordContents(policy)};
  writes_with_ = policy;
}

void Oracle::UseTableOptions(const std::string& text) {
  const auto cache = table_.block_cache;
  ASSERT_OK(rocksdb::GetBlockBasedTableOptionsFromString(
      rocksdb::ConfigOptions(), table_, text, &table_));
  // The parser adds a cache where there is none. In a cache that outlives the
  // database, partitions keep the readers of an earlier policy.
  if (text.find("block_cache=") == std::string::npos) {
    table_.block_cache = cache;
  }
}

void Oracle::UseDatabaseOptions(const std::string& text) {
  ASSERT_OK(rocksdb::GetOptionsFromString(rocksdb::ConfigOptions(), options_,
                                          text, &options_));
}

void Oracle::UseExtractor(const std::string& name) {
  options_.prefix_extractor.reset();
  if (!name.empty()) {
    ASSERT_OK(rocksdb::SliceTransform::CreateFromString(
        rocksdb::ConfigOptions(), name, &options_.prefix_extractor));
  }
}

void Oracle::Put(const std::vector<std::string>& keys, const std::string& value,
                 bool flush) {
  for (const std::string& key : keys) {
    ASSERT_OK(writer()->Put({}, Family(writer()), key, value + " of " + key));
    (*rows_)[key] = value + " of " + key;
    in_memtable_.insert(key);
  }
  if (flush) FlushAll();
}

void Oracle::Delete(const std::vector<std::string>& keys, bool single) {
  for (const std::string& key : keys) {
    ASSERT_OK(single ? writer()->SingleDelete({}, Family(writer()), key)
                     : writer()->Delete({}, Family(writer()), key));
    rows_->erase(key);
  }
  FlushAll();
}

void Oracle::EraseRange(const std::string& begin, const std::string& end) {
  rows_->erase(rows_->lower_bound(begin), rows_->lower_bound(end));
}

void Oracle::DeleteRange(const std::string& begin, const std::string& end) {
  ASSERT_OK(writer()->DeleteRange({}, Family(writer()), begin, end));
  EraseRange(begin, end);
}

void Oracle::Merge(const std::vector<std::string>& keys,
                   const std::string& operand, bool flush) {
  for (const std::string& key : keys) {
    ASSERT_OK(writer()->Merge({}, Family(writer()), key, operand));
    std::string& value = (*rows_)[key];
    value += (value.empty() ? "" : ",") + operand;
  }
  if (flush) FlushAll();
}

void Oracle::PutEntities(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    ASSERT_OK(writer()->PutEntity({}, Family(writer()), key,
                                  {{"", "entity"}, {"column", "more"}}));
    (*rows_)[key] = "entity";
  }
  FlushAll();
  rocksdb::PinnableWideColumns columns;
  ASSERT_OK(db_->GetEntity({}, Family(db_.get()), keys[0], &columns));
  ASSERT_EQ(columns.columns().size(), 2);
  EXPECT_EQ(columns.columns()[1].value().ToString(), "more");
}

void Oracle::IngestFile(
    const std::function<void(rocksdb::SstFileWriter*)>& write, bool move) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), OptionsWithTable());
  ASSERT_OK(writer.Open(Path("ingest.sst")));
  write(&writer);
  ASSERT_OK(writer.Finish());
  rocksdb::IngestExternalFileOptions options;
  options.move_files = move;
  ASSERT_OK(db_->IngestExternalFile({Path("ingest.sst")}, options));
}

void Oracle::Ingest(const std::vector<std::string>& keys, bool move) {
  const auto write = [&](rocksdb::SstFileWriter* writer) {
    for (const std::string& key : keys) {
      ASSERT_OK(writer->Put(key, "ingested"));
      (*rows_)[key] = "ingested";
    }
  };
  IngestFile(write, move);
}

void Oracle::IngestDeletes(const std::vector<std::string>& keys,
                           const std::string& begin, const std::string& end) {
  const auto write = [&](rocksdb::SstFileWriter* writer) {
    for (const std::string& key : keys) {
      ASSERT_OK(writer->Delete(key));
      rows_->erase(key);
    }
    ASSERT_OK(writer->DeleteRange(begin, end));
    EraseRange(begin, end);
  };
  IngestFile(write, /*move=*/false);
}

void Oracle::FlushAll() {
  ASSERT_OK(writer()->Flush({}, Family(writer())));
  in_memtable_.clear();
  if (primary_ != nullptr) {
    ASSERT_OK(db_->TryCatchUpWithPrimary());
  }
}

void Oracle::CompactAll() { CompactWith(RewriteAll()); }

void Oracle::CompactWith(const rocksdb::CompactRangeOptions& compact) {
  ASSERT_OK(
      writer()->CompactRange(compact, Family(writer()), nullptr, nullptr));
  if (primary_ != nullptr) {
    ASSERT_OK(db_->TryCatchUpWithPrimary());
  }
}

void Oracle::EraseIf(const std::function<bool(const std::string&)>& gone) {
  std::erase_if(*rows_, [&](const auto& row) { return gone(row.first); });
}

void Oracle::HoldSnapshot() { snapshots_.push_back(db_->GetSnapshot()); }

void Oracle::CloseAll() {
  for (const auto* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  snapshots_.clear();
  transaction_ = nullptr;
  policy_ = writes_with_;
  if (family_ != nullptr) {
    EXPECT_OK(db_->DestroyColumnFamilyHandle(family_));
  }
  family_ = nullptr;
  db_.reset();
  primary_.reset();
}

void Oracle::Open() {
  CloseAll();
  Reopen();
}

void Oracle::OpenColumnFamily() {
  CloseAll();
  options_.create_missing_column_families = true;
  const rocksdb::Options rows = OptionsWithTable();
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  ASSERT_OK(DB::Open(rows, Path("db"),
                     {{"default", rocksdb::Options()}, {"rows", rows}},
                     &handles, OutPtr(&db_)));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handles[0]));
  family_ = handles[1];
}

void Oracle::OpenTransactions() {
  CloseAll();
  ASSERT_OK(rocksdb::TransactionDB::Open(OptionsWithTable(),
                                         rocksdb::TransactionDBOptions(),
                                         Path("db"), &transactions_));
  db_.reset(transactions_);
}

void Oracle::BeginTransaction(const std::vector<std::string>& keys) {
  transaction_.reset(transactions_->BeginTransaction({}));
  for (const std::string& key : keys) {
    ASSERT_OK(transaction_->Put(key, "uncommitted"));
    uncommitted_[key] = "uncommitted";
  }
}

void Oracle::Commit() {
  ASSERT_OK(transaction_->Commit());
  transaction_ = nullptr;
  for (const auto& [key, value] : uncommitted_) (*rows_)[key] = value;
  uncommitted_.clear();
  FlushAll();
}

void Oracle::OpenReadOnly() {
  CloseAll();
  ASSERT_OK(DB::OpenForReadOnly(OptionsWithTable(), Path("db"), OutPtr(&db_)));
  EXPECT_TRUE(db_->Put({}, "key", "value").IsNotSupported());
}

// Opens the copy as another machine would, with statistics added to observe the
// filters.
void Oracle::OpenCopy() {
  CloseAll();
  rocksdb::DBOptions options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_OK(rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), Path("copy"),
                                       &options, &families));
  options.statistics = options_.statistics;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  ASSERT_OK(DB::OpenForReadOnly(options, Path("copy"), families, &handles,
                                OutPtr(&db_)));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handles[0]));
}

void Oracle::OpenSecondary() {
  rocksdb::Options options = OptionsWithTable();
  options.max_open_files = -1;  // as RocksDB demands of a secondary
  primary_ = std::move(db_);
  policy_ = writes_with_;
  ASSERT_OK(DB::OpenAsSecondary(options, Path("db"), Path("secondary"),
                                OutPtr(&db_)));
}

void Oracle::ReopenPrimary() {
  primary_.reset();
  ASSERT_OK(DB::Open(OptionsWithTable(), Path("db"), OutPtr(&primary_)));
}

void Oracle::MakeCheckpoint() {
  std::filesystem::remove_all(Path("copy"));
  rocksdb::Checkpoint* checkpoint = nullptr;
  ASSERT_OK(rocksdb::Checkpoint::Create(writer(), &checkpoint));
  const std::unique_ptr<rocksdb::Checkpoint> owned(checkpoint);
  ASSERT_OK(checkpoint->CreateCheckpoint(Path("copy")));
}

void Oracle::BackUpAndRestore() {
  rocksdb::BackupEngine* engine = nullptr;
  ASSERT_OK(rocksdb::BackupEngine::Open(
      rocksdb::Env::Default(), rocksdb::BackupEngineOptions(Path("backup")),
      &engine));
  const std::unique_ptr<rocksdb::BackupEngine> owned(engine);
  ASSERT_OK(engine->CreateNewBackup(writer(), /*flush_before_backup=*/true));
  std::vector<rocksdb::BackupInfo> backups;
  engine->GetBackupInfo(&backups);
  ASSERT_OK(engine->VerifyBackup(backups.back().backup_id,
                                 /*verify_with_checksum=*/true));
  ASSERT_OK(engine->RestoreDBFromLatestBackup(Path("copy"), Path("copy")));
}

}  // namespace linebloom
