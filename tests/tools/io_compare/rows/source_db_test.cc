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
#include "tests/temporary_folder.h"
#include "tools/io_compare/database.h"
#include "tools/io_compare/rows/workload.h"
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

  absl::StatusOr<SourceDatabase> OpenSource() {
    return OpenSourceDatabase(path_, scratch_.path());
  }

  rocksdb::Options options_;
  TemporaryFolder folder_;
  TemporaryFolder scratch_;
  std::string path_ = folder_.File("db");
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(SourceDatabaseTest, ACopyHasTheSameShape) {
  auto source = OpenSource();
  ASSERT_TRUE(source.ok()) << source.status();
  Progress progress;
  const absl::Status built =
      BuildDatabase(source->rows, {}, scratch_.File("copy"), &progress);
  ASSERT_TRUE(built.ok()) << built;
  const auto copy = OpenForMeasuring(source->rows, {}, scratch_.File("copy"),
                                     64 << 10, false);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(DescribeDifference(source->shape, "source", ReadShape(copy->get()),
                               "copy"),
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
  const auto all = source->sample(1'000'000, 1);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->size(), 3000u - 300 - 1);
  const auto some = source->sample(500, 1);
  ASSERT_TRUE(some.ok()) << some.status();
  std::set<std::string> different;
  for (uint64_t i = 0; i < some->size(); ++i) {
    different.insert(std::string((*some)[i]));
  }
  EXPECT_EQ(different.size(), 500u);
  EXPECT_EQ(different.count(Key(5)), 0u);
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
  const absl::Status status = source->rows.read(0, [&keys](const Entry& entry) {
    keys.push_back(entry.key.ToString());
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(keys.size(), 100u);
  EXPECT_EQ(keys.front(), Key(99));
}

}  // namespace
}  // namespace linebloom::tools
