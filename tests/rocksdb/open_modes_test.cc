// Databases opened to be read only, followed, copied and restored.

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/utilities/backup_engine.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/utilities/options_util.h"
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

  // The same with the options that the folder itself holds, as a machine would
  // that gets a copy. Only the statistics are ours, to see the filters at work.
  std::unique_ptr<rocksdb::DB> OpenWithItsOptions(const std::string& folder) {
    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    EXPECT_OK(rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), folder,
                                         &options, &families));
    options.statistics = options_.statistics;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    EXPECT_OK(
        rocksdb::DB::OpenForReadOnly(options, folder, families, &handles, &db));
    for (auto* handle : handles)
      EXPECT_OK(db->DestroyColumnFamilyHandle(handle));
    return std::unique_ptr<rocksdb::DB>(db);
  }

  std::unique_ptr<rocksdb::DB> OpenSecondary() {
    rocksdb::Options options = OptionsWithTable();
    options.max_open_files = -1;  // as RocksDB demands of a secondary
    rocksdb::DB* db = nullptr;
    EXPECT_OK(rocksdb::DB::OpenAsSecondary(options, Path("db"),
                                           Path("secondary"), &db));
    return std::unique_ptr<rocksdb::DB>(db);
  }

  std::unique_ptr<rocksdb::BackupEngine> OpenBackups() {
    rocksdb::BackupEngine* engine = nullptr;
    EXPECT_OK(rocksdb::BackupEngine::Open(
        rocksdb::Env::Default(), rocksdb::BackupEngineOptions(Path("backup")),
        &engine));
    return std::unique_ptr<rocksdb::BackupEngine>(engine);
  }

  void MakeCheckpoint(const std::string& folder) {
    rocksdb::Checkpoint* checkpoint = nullptr;
    ASSERT_OK(rocksdb::Checkpoint::Create(db_.get(), &checkpoint));
    const std::unique_ptr<rocksdb::Checkpoint> owned(checkpoint);
    ASSERT_OK(checkpoint->CreateCheckpoint(folder));
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
  const auto secondary = OpenSecondary();
  ASSERT_NE(secondary, nullptr);
  rocksdb::DB* const db = secondary.get();
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
  MakeCheckpoint(Path("checkpoint"));
  const auto copy = OpenForReading(Path("checkpoint"));
  ASSERT_NE(copy, nullptr);
  ExpectFilterWorks(kRows, 2, copy.get());
  ExpectRows({4000, 4100}, copy.get());
}

TEST_P(OpenModesTest, BackupAndRestore) {
  Reopen();
  WriteFile(kRows);
  const auto engine = OpenBackups();
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

// Copies carry the option string of the policy.
TEST_P(OpenModesTest, CopiesOpenedWithTheirOwnOptions) {
  Reopen();
  WriteFile(kRows);
  MakeCheckpoint(Path("checkpoint"));
  const auto checkpoint = OpenWithItsOptions(Path("checkpoint"));
  ASSERT_NE(checkpoint, nullptr);
  ExpectFilterWorks(kRows, 1, checkpoint.get());

  const auto engine = OpenBackups();
  ASSERT_OK(engine->CreateNewBackup(db_.get()));
  ASSERT_OK(engine->RestoreDBFromLatestBackup(Path("db2"), Path("db2")));
  const auto restored = OpenWithItsOptions(Path("db2"));
  ASSERT_NE(restored, nullptr);
  ExpectFilterWorks(kRows, 1, restored.get());
}

// The database is switched to the policy of the test while another process or
// machine follows it or keeps copies of it.
class OpenModesSwitchTest : public OpenModesTest {
 protected:
  OpenModesSwitchTest() { UsePolicy(PolicyKind::kBuiltinBloom); }
  void SwitchPolicy() {
    UsePolicy(GetParam());
    Reopen();
  }
};
INSTANTIATE_POLICY_TEST(OpenModesSwitchTest);

// A secondary that has linebloom first can follow a primary with either policy.
TEST_P(OpenModesSwitchTest, SecondaryThatIsSwitchedFirst) {
  Reopen();
  WriteFile(kRows);
  UsePolicy(GetParam());
  const auto secondary = OpenSecondary();
  ASSERT_NE(secondary, nullptr);
  ExpectFilterWorks(kRows, 1, secondary.get());
  SwitchPolicy();
  WriteFile(kRows);
  ASSERT_OK(secondary->TryCatchUpWithPrimary());
  ExpectFilterWorks(kRows, 2, secondary.get());
  CompactAll();
  ASSERT_OK(secondary->TryCatchUpWithPrimary());
  ExpectFilterWorks(kRows, 1, secondary.get());
}

// One that lags behind reads rightly, without the filters that it can't read.
TEST_P(OpenModesSwitchTest, SecondaryThatIsNotSwitched) {
  Reopen();
  WriteFile(kRows);
  const auto secondary = OpenSecondary();
  ASSERT_NE(secondary, nullptr);
  SwitchPolicy();
  WriteFile(kRows);
  ASSERT_OK(secondary->TryCatchUpWithPrimary());
  ExpectRows(kRows, secondary.get());
  const FilterCounts missing = CountMissing(kRows, secondary.get());
  EXPECT_EQ(missing.no + missing.maybe, 2 * kRows.missing());
  const uint64_t filters = GetParam() == PolicyKind::kLinebloom ? 1 : 2;
  EXPECT_LE(missing.no, filters * kRows.missing());
  EXPECT_GE(missing.no, filters * kRows.missing() * 95 / 100);
}

// A backup shares files with the one before, so it may hold both kinds.
TEST_P(OpenModesSwitchTest, BackupsOnBothSidesOfTheSwitch) {
  Reopen();
  WriteFile(kRows);
  const auto engine = OpenBackups();
  ASSERT_OK(engine->CreateNewBackup(db_.get()));
  SwitchPolicy();
  WriteFile(kRows);
  ASSERT_OK(engine->CreateNewBackup(db_.get()));
  for (const uint32_t backup : {1, 2}) {
    const std::string folder = Path("restored" + std::to_string(backup));
    ASSERT_OK(engine->VerifyBackup(backup, /*verify_with_checksum=*/true));
    ASSERT_OK(engine->RestoreDBFromBackup(backup, folder, folder));
    const auto with_new_options = OpenForReading(folder);
    ASSERT_NE(with_new_options, nullptr);
    ExpectFilterWorks(kRows, backup, with_new_options.get());
    const auto with_its_own = OpenWithItsOptions(folder);
    ASSERT_NE(with_its_own, nullptr);
    ExpectFilterWorks(kRows, backup, with_its_own.get());
  }
}

}  // namespace
}  // namespace linebloom
