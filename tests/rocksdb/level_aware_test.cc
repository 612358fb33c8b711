// Filters whose bits depend on the level.

#include <memory>
#include <string>

#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/sst_file_writer.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

class LevelAwareTest : public DbTest {
 protected:
  LevelAwareTest() { UseLevelAware(); }

  void UseLevelAware() {
    UseOptions({.bits_per_key = 10, .level_aware = true});
  }

  // Lines of the info log that miss the listener.
  int CountWarnings() const {
    return CountInLog({"[WARN]", "linebloom_level_sizes"});
  }
};

TEST_F(LevelAwareTest, WithoutTheListenerEachDatabaseGetsOneWarning) {
  for (int database = 0; database < 5; ++database) {
    DestroyAndReopen();
    WriteFile({0, 2000});
    WriteFile({0, 2000});
    CompactAll();
    EXPECT_EQ(1, CountWarnings()) << database;
  }
  // One of another copy of the library, or of another name, is none.
  options_.listeners = {std::make_shared<rocksdb::EventListener>()};
  DestroyAndReopen();
  WriteFile({0, 2000});
  EXPECT_EQ(1, CountWarnings());
  UseListener();
  DestroyAndReopen();
  ASSERT_OK(db_->Put({}, "recovered", "value"));
  Reopen();  // recovers a row
  WriteFile({0, 2000});
  CompactAll();
  // Nor of an SstFileWriter: only files of databases have a level.
  rocksdb::Options options = OptionsWithTable();
  options.info_log = db_->GetDBOptions().info_log;
  rocksdb::SstFileWriter writer({}, options);
  ASSERT_OK(writer.Open(Path("a.sst")));
  ASSERT_OK(writer.Put("key", "value"));
  ASSERT_OK(writer.Finish());
  EXPECT_EQ(0, CountWarnings());
}

// A tenth of the rows has 3.37 bits more, and all have 10. RebuildFilters()
// must accept the files that it has written; otherwise every call would rewrite
// them.
TEST_F(LevelAwareTest, OldFilesAreRebuiltOnceWithTheBitsOfTheirLevel) {
  UsePolicy(kBloom);
  Reopen();
  WriteFile({0, 200'000}, 3);
  WriteFile({2, 200'000}, 2, 20);
  WriteFile({6, 200'000}, 1, 200);
  UseLevelAware();
  UseListener();
  Reopen();
  EXPECT_EQ(3u, Rebuild(db_.get()).files.size());
  EXPECT_NEAR(BitsPerRow(nullptr, 3) + 3.37, BitsPerRow(nullptr, 2), 0.1);
  EXPECT_NEAR(BitsPerRow(nullptr, 2) + 3.37, BitsPerRow(nullptr, 1), 0.4);
  EXPECT_NEAR(10, BitsPerRow(), 0.1);
  EXPECT_EQ(0u, Rebuild(db_.get()).files.size());
}

}  // namespace
}  // namespace linebloom
