// Databases opened to be read only, followed, copied and restored.

#include <memory>
#include <string>

#include "rocksdb/utilities/backup_engine.h"
#include "rocksdb/utilities/checkpoint.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

class OpenModesTest : public PolicyTest {
 protected:
  // Opens what lies in `folder` for reading, beside `db_`.
  std::unique_ptr<rocksdb::DB> OpenForReading(const std::string& folder) {
    rocksdb::DB* db = nullptr;
    EXPECT_OK(rocksdb::DB::OpenForReadOnly(OptionsWithTable(), folder, &db));
    return std::unique_ptr<rocksdb::DB>(db);
  }

  static constexpr Rows kRows{0, 4000};
};
INSTANTIATE_POLICY_TEST(OpenModesTest);

TEST_P(OpenModesTest, ReadOnly) {
  Reopen();
  WriteFile(kRows);
  Close();
  const auto read_only = OpenForReading(Path("db"));
  ASSERT_NE(read_only, nullptr);
  ExpectFilterWorks(kRows, 1, read_only.get());
  EXPECT_TRUE(read_only->Put({}, "key", "value").IsNotSupported());
}

TEST_P(OpenModesTest, SecondaryFollows) {
  Reopen();
  WriteFile(kRows);
  rocksdb::Options options = OptionsWithTable();
  options.max_open_files = -1;  // as RocksDB demands of a secondary
  rocksdb::DB* db = nullptr;
  ASSERT_OK(rocksdb::DB::OpenAsSecondary(options, Path("db"), Path("secondary"),
                                         &db));
  const std::unique_ptr<rocksdb::DB> secondary(db);
  ExpectFilterWorks(kRows, 1, db);

  const Rows more{4000, 8000};
  WriteFile(more);
  ASSERT_OK(secondary->TryCatchUpWithPrimary());
  ExpectFilterWorks(kRows, 2, db);
  ExpectFilterWorks(more, 2, db);

  WriteFile({0, 8000});
  ASSERT_OK(secondary->TryCatchUpWithPrimary());
  ExpectFilterWorks(more, 3, db);
  CompactAll();
  ASSERT_OK(secondary->TryCatchUpWithPrimary());
  ExpectFilterWorks({0, 8000}, 1, db);
}

TEST_P(OpenModesTest, Checkpoint) {
  Reopen();
  WriteFile(kRows);
  PutRows({4000, 4100});  // still in the memtable
  rocksdb::Checkpoint* checkpoint = nullptr;
  ASSERT_OK(rocksdb::Checkpoint::Create(db_.get(), &checkpoint));
  const std::unique_ptr<rocksdb::Checkpoint> owned(checkpoint);
  ASSERT_OK(checkpoint->CreateCheckpoint(Path("checkpoint")));
  const auto copy = OpenForReading(Path("checkpoint"));
  ASSERT_NE(copy, nullptr);
  ExpectFilterWorks(kRows, 2, copy.get());
  ExpectRows({4000, 4100}, copy.get());
}

TEST_P(OpenModesTest, BackupAndRestore) {
  Reopen();
  WriteFile(kRows);
  rocksdb::BackupEngine* engine = nullptr;
  ASSERT_OK(rocksdb::BackupEngine::Open(
      rocksdb::Env::Default(), rocksdb::BackupEngineOptions(Path("backup")),
      &engine));
  const std::unique_ptr<rocksdb::BackupEngine> owned(engine);
  ASSERT_OK(engine->CreateNewBackup(db_.get()));
  WriteFile({4000, 8000});
  ASSERT_OK(engine->CreateNewBackup(db_.get(), /*flush_before_backup=*/true));
  ASSERT_OK(engine->VerifyBackup(1, /*verify_with_checksum=*/true));
  ASSERT_OK(engine->VerifyBackup(2, /*verify_with_checksum=*/true));

  ASSERT_OK(engine->RestoreDBFromBackup(1, Path("first"), Path("first")));
  const auto first = OpenForReading(Path("first"));
  ASSERT_NE(first, nullptr);
  ExpectFilterWorks(kRows, 1, first.get());
  EXPECT_EQ(GetText(first.get(), RowKey(5000)), "NotFound: ");

  ASSERT_OK(engine->RestoreDBFromLatestBackup(Path("db2"), Path("db2")));
  const auto latest = OpenForReading(Path("db2"));
  ASSERT_NE(latest, nullptr);
  ExpectFilterWorks({4000, 8000}, 2, latest.get());
}

TEST_P(OpenModesTest, VerifyChecksumOfTheWholeDatabase) {
  Reopen();
  WriteFile(kRows);
  WriteFile(kRows);
  CompactAll();
  ASSERT_OK(db_->VerifyChecksum());
}

}  // namespace
}  // namespace linebloom
