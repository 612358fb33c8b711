#include "tools/io_compare/rows/source_db.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rocksdb/db.h"
#include "tests/tools/run_program.h"
#include "tools/io_compare/database.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {
namespace {

using testing::HasSubstr;

std::string Key(int i) { return absl::StrFormat("key%06d", i); }

// A database with rows in levels 0, 1 and 3, deletions and merge operands.
class SourceDatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.create_if_missing = true;
    options_.disable_auto_compactions = true;
    options_.merge_operator = std::make_shared<LastOperand>();
    Open();
    for (int i = 0; i < 3000; ++i) Check(db_->Put({}, Key(i), "bottom"));
    FlushTo(3);
    for (int i = 0; i < 3000; i += 10) Check(db_->Put({}, Key(i), "middle"));
    for (int i = 5; i < 3000; i += 10) Check(db_->Delete({}, Key(i)));
    FlushTo(1);
    for (int i = 0; i < 3000; i += 100) Check(db_->Put({}, Key(i), "old top"));
    Check(db_->Flush({}));
    for (int i = 7; i < 3000; i += 100) Check(db_->Merge({}, Key(i), "merged"));
    Check(db_->SingleDelete({}, Key(1)));
    Check(db_->Flush({}));
    db_.reset();
    // RocksDB would remove this as soon as it opens a database.
    folder_.Write("db/000001.sst.trash", "not ours to remove");
  }

  static void Check(const rocksdb::Status& status) {
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  void Open() {
    rocksdb::DB* opened = nullptr;
    Check(rocksdb::DB::Open(options_, path_, &opened));
    db_.reset(opened);
  }

  void FlushTo(int level) {
    Check(db_->Flush({}));
    std::vector<rocksdb::LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    for (const auto& file : live) {
      if (file.level == 0) Check(db_->CompactFiles({}, {file.name}, level));
    }
  }

  absl::StatusOr<std::unique_ptr<SourceDatabase>> OpenSource() {
    return SourceDatabase::Open(path_, scratch_.path());
  }

  rocksdb::Options options_;
  TemporaryFolder folder_;
  TemporaryFolder scratch_;
  std::string path_ = folder_.File("db");
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(SourceDatabaseTest, PlansFilesFromTheBottomUp) {
  const auto source = OpenSource();
  ASSERT_TRUE(source.ok()) << source.status();
  const std::vector<PlannedFile>& files = (*source)->files();
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].level, 3);
  EXPECT_EQ(files[0].entries, 3000u);
  EXPECT_EQ(files[1].level, 1);
  EXPECT_EQ(files[1].entries, 600u);
  EXPECT_EQ(files[2].level, 0);
  EXPECT_EQ(files[2].entries, 30u);
  EXPECT_EQ(files[3].entries, 31u);
  EXPECT_EQ((*source)->shape().SortedRuns(), 4u);
}

TEST_F(SourceDatabaseTest, ReadsEveryEntryOfAFile) {
  auto source = OpenSource();
  ASSERT_TRUE(source.ok()) << source.status();
  std::string kinds;
  std::vector<std::string> keys;
  for (size_t file : {3, 1}) {
    const absl::Status status =
        (*source)->ReadFile(file, [&](const Entry& entry) {
          kinds.push_back("PDSM"[static_cast<int>(entry.kind)]);
          keys.push_back(entry.key.ToString());
          return absl::OkStatus();
        });
    ASSERT_TRUE(status.ok()) << status;
  }
  ASSERT_EQ(keys.size(), 631u);
  EXPECT_EQ(kinds.substr(0, 4), "SMMM");
  EXPECT_EQ(keys[0], Key(1));
  EXPECT_EQ(keys[1], Key(7));
  EXPECT_EQ(kinds.substr(31, 4), "PDPD");
  EXPECT_EQ(keys[31], Key(0));
  EXPECT_EQ(keys[32], Key(5));
}

TEST_F(SourceDatabaseTest, ACopyHasTheSameShape) {
  auto source = OpenSource();
  ASSERT_TRUE(source.ok()) << source.status();
  Progress progress;
  const absl::Status built =
      BuildDatabase(source->get(), {}, scratch_.File("copy"), &progress);
  ASSERT_TRUE(built.ok()) << built;
  const auto copy =
      OpenForMeasuring(**source, {}, scratch_.File("copy"), 64 << 10, false);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(DescribeDifference((*source)->shape(), "source",
                               ReadShape(copy->get()), "copy"),
            "");
  std::string value;
  EXPECT_TRUE((*copy)->Get({}, Key(5), &value).IsNotFound());
  EXPECT_TRUE((*copy)->Get({}, Key(1), &value).IsNotFound());
  Check((*copy)->Get({}, Key(100), &value));
  EXPECT_EQ(value, "old top");
  Check((*copy)->Get({}, Key(107), &value));
  EXPECT_EQ(value, "merged");
}

TEST_F(SourceDatabaseTest, SamplesLiveRowsOnce) {
  auto source = OpenSource();
  ASSERT_TRUE(source.ok()) << source.status();
  const auto all = (*source)->SampleKeys(1'000'000, 1);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->size(), 3000u - 300 - 1);
  const auto some = (*source)->SampleKeys(500, 1);
  ASSERT_TRUE(some.ok()) << some.status();
  std::set<std::string> different;
  for (uint64_t i = 0; i < some->size(); ++i) {
    different.insert(std::string((*some)[i]));
  }
  EXPECT_EQ(different.size(), 500u);
  EXPECT_EQ(different.count(Key(5)), 0u);
}

TEST_F(SourceDatabaseTest, ChangesNothing) {
  const std::vector<std::string> before = Fingerprint(path_);
  {
    auto source = OpenSource();
    ASSERT_TRUE(source.ok()) << source.status();
    ASSERT_TRUE((*source)->SampleKeys(10, 1).ok());
    ASSERT_TRUE((*source)
                    ->ReadFile(0, [](const Entry&) { return absl::OkStatus(); })
                    .ok());
  }
  EXPECT_EQ(Fingerprint(path_), before);
}

TEST_F(SourceDatabaseTest, SaysHowManyRowsAreOnlyInTheLog) {
  Open();
  Check(db_->Put({}, "unflushed", ""));
  Check(db_->Put({}, "too", ""));
  // As after a crash.
  Check(db_->FlushWAL(true));
  const std::string crashed = folder_.File("crashed");
  std::filesystem::copy(path_, crashed);
  const auto source = SourceDatabase::Open(crashed, scratch_.path());
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->rows_in_log_only(), 2u);
  EXPECT_EQ((*source)->files().size(), 4u);
}

TEST_F(SourceDatabaseTest, SaysHowManyRangeDeletionsItLeaves) {
  Open();
  Check(db_->DeleteRange({}, db_->DefaultColumnFamily(), Key(50), Key(60)));
  Check(db_->Put({}, Key(2000), "beside the range"));
  Check(db_->Flush({}));
  db_.reset();
  const auto source = OpenSource();
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->range_deletions(), 1u);
}

TEST_F(SourceDatabaseTest, RefusesALockedDatabase) {
  // The lock must belong to another process, because a process's own lock
  // doesn't block it.
  int ready[2];
  int done[2];
  ASSERT_EQ(pipe(ready) + pipe(done), 0);
  const pid_t other = fork();
  if (other == 0) {
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    const int file = open((path_ + "/LOCK").c_str(), O_RDWR);
    fcntl(file, F_SETLK, &lock);
    (void)!write(ready[1], "", 1);
    char end;
    (void)!read(done[0], &end, 1);
    _exit(0);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto source = OpenSource();
  ASSERT_EQ(write(done[1], "", 1), 1);
  ASSERT_FALSE(source.ok());
  EXPECT_THAT(std::string(source.status().message()),
              HasSubstr(absl::StrCat("is locked: process ", other)));
}

TEST_F(SourceDatabaseTest, RefusesWhatIsNoDatabase) {
  for (const std::string& path : {folder_.File("missing"), folder_.path(),
                                  folder_.Write("file", "CURRENT")}) {
    const auto source = SourceDatabase::Open(path, scratch_.path());
    ASSERT_FALSE(source.ok()) << path;
    EXPECT_THAT(std::string(source.status().message()),
                HasSubstr("'" + path + "' is not a RocksDB database"));
  }
}

TEST_F(SourceDatabaseTest, ReportsAMissingFile) {
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    if (entry.path().extension() == ".sst") {
      std::filesystem::remove(entry.path());
      break;
    }
  }
  const auto source = OpenSource();
  ASSERT_FALSE(source.ok());
  EXPECT_THAT(std::string(source.status().message()), HasSubstr(path_));
}

TEST_F(SourceDatabaseTest, KeepsAnotherOrderOfKeys) {
  options_.comparator = rocksdb::ReverseBytewiseComparator();
  path_ = folder_.File("reverse");
  Open();
  for (int i = 0; i < 100; ++i) Check(db_->Put({}, Key(i), "value"));
  Check(db_->Flush({}));
  db_.reset();
  auto source = OpenSource();
  ASSERT_TRUE(source.ok()) << source.status();
  std::vector<std::string> keys;
  const absl::Status status =
      (*source)->ReadFile(0, [&keys](const Entry& entry) {
        keys.push_back(entry.key.ToString());
        return absl::OkStatus();
      });
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(keys.size(), 100u);
  EXPECT_EQ(keys.front(), Key(99));
}

}  // namespace
}  // namespace linebloom::tools
