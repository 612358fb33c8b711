// What the listener knows of a database with many files, which it rarely lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/filter_policy/levels/simulated_database.h"

namespace linebloom {
namespace {

using rocksdb::LiveFileMetaData;

constexpr int kOldFiles = 2000;
constexpr int kJobs = 1000;

class ListenerTest : public testing::Test {
 protected:
  ListenerTest() {
    for (int i = 0; i < kOldFiles; ++i) {
      db_.Add(LiveFile(i % 2 == 0 ? "default" : "other", db_.NextFileName(),
                       /*level=*/6, /*rows=*/100));
    }
  }

  // Flushes some keys, and expects that the file was told of all others.
  void FlushAndExpectAllFiles(const std::string& family) {
    TreeState tree;
    for (const LiveFileMetaData& file : db_.Files()) {
      if (file.column_family_name != family) continue;
      tree.Add(static_cast<double>(file.num_entries), file.level);
    }
    const size_t flushed = 10 + random_() % 50;
    const auto told = db_.FlushKeys(family, NumberedKeys(family, flushed)).told;
    ASSERT_NE(nullptr, told->tree);
    TreeState seen = *told->tree;
    seen.levels.resize(6);
    for (TreeState* state : {&seen, &tree}) {
      std::sort(state->level0_files.begin(), state->level0_files.end());
    }
    EXPECT_EQ(tree.level0_files, seen.level0_files);
    EXPECT_EQ(tree.levels, seen.levels);
    EXPECT_EQ(moves_[family] >= 3, seen.in_order);
    EXPECT_DOUBLE_EQ(tree.Total(), seen.filters.rows + seen.filters.unknown);
  }

  // Merges or moves a level, or fails to merge it.
  void RunJob(const std::string& family) {
    const int level = static_cast<int>(random_() % 3);
    const auto outcome = random_() % 6;
    const bool has_files = !db_.FilesOf(family, level).empty();
    if (outcome > 1) {
      if (level == 0 && has_files) ++moves_[family];
      db_.MoveLevel(family, level);
      return;
    }
    if (level == 0 && has_files && outcome == 1) moves_[family] = 0;
    db_.MergeLevel(family, level, /*ok=*/outcome == 1);
  }

  const PolicyAndListener with_{{.level_aware = true}};
  SimulatedDatabase db_{with_, "/database"};
  std::map<std::string, int> moves_;  // of level 0 since it was merged
  std::mt19937_64 random_{1};
};

TEST_F(ListenerTest, FollowsJobsByTheFilesThatTheyAddAndDelete) {
  db_.FlushKeys("default", NumberedKeys("", 10));
  for (int i = 0; i < kJobs && !HasFailure(); ++i) {
    const std::string family = i % 2 == 0 ? "default" : "other";
    if (i % 3 != 0) RunJob(family);
    FlushAndExpectAllFiles(family);
  }
  // Each job lists 64 files at most, on average.
  const int flushes_and_others = kJobs + kJobs * 2 / 3;
  EXPECT_LE(db_.listings, 3 + flushes_and_others * 64 / kOldFiles);
  db_.Close();
}

// A list that a job made obsolete must not undo what the job changed.
TEST_F(ListenerTest, TakesNoListThatIsOutOfDate) {
  db_.FlushKeys("default", NumberedKeys("", 10));
  db_.after_listing = [this] {
    db_.FlushKeys("default", NumberedKeys("", 10));
  };
  with_.listener->OnExternalFileIngested(&db_, {});
  while (db_.after_listing) with_.listener->OnExternalFileIngested(&db_, {});
  FlushAndExpectAllFiles("default");
  db_.Close();
}

// RocksDB doesn't report the end of a compaction that closing the database cuts
// off, and a reopened database numbers its jobs from 1 again. None of them may
// be mistaken for the one that was cut off.
TEST_F(ListenerTest, ACompactionCutOffByClosingIsForgotten) {
  for (const bool is_reported : {true, false}) {
    SimulatedDatabase db(with_, "/cut off", "1");
    for (int i = 0; i < 4; ++i) {
      db.FlushKeys("default", NumberedKeys("", 10));
    }
    EXPECT_ANY_THROW(
        db.CompactLevel("default", [](int, uint64_t) { throw 0; }));
    const int cut_off = db.NextJob() - 1;
    if (is_reported) db.Close();
    SimulatedDatabase reopened(with_, "/cut off", "2");
    for (const LiveFileMetaData& file : db.Files()) reopened.Add(file);
    for (int job = 1; job <= cut_off; ++job) {
      const auto told =
          reopened.FlushKeys("default", NumberedKeys("", 10)).told;
      EXPECT_EQ(job + 3u, told->tree->level0_files.size());
    }
    reopened.Close();
  }
}

// RocksDB doesn't tell that a database was destroyed, nor, here, closed.
TEST_F(ListenerTest, FilesOfAnEarlierDatabaseAtItsPathDoNotCount) {
  for (const std::string session : {"1", "2"}) {
    SimulatedDatabase db(with_, "/again", session);
    db.Add(LiveFile("default", "/1.sst", /*level=*/6, /*rows=*/100));
    const auto told = db.FlushKeys("default", NumberedKeys("", 10)).told;
    ASSERT_NE(nullptr, told->tree);
    EXPECT_EQ(100, told->tree->Total());
  }
}

// It has no session, no log and no statistics, its files no sizes, and nobody
// says how many keys a flush has.
TEST_F(ListenerTest, ADatabaseThatTellsLittle) {
  SimulatedDatabase db(with_, "/tells little", "");
  db.log = nullptr;
  db.FlushKeys("default", NumberedKeys("", 10));
  db.MergeLevel("default", 0, /*ok=*/true);
  const auto told = db.FlushKeys("default", NumberedKeys("", 10)).told;
  ASSERT_NE(nullptr, told->tree);
  EXPECT_EQ(10, told->tree->Total());
  EXPECT_EQ(nullptr, told->info_log);
  EXPECT_EQ(0, told->input_keys);
  db.Close();
}

// A thread may write a file of another database meanwhile.
TEST(TakeNewFileTest, KnowsADatabaseByItsLog) {
  CountingLogger log;
  CountingLogger other;
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.level_at_creation = 0;
  for (CountingLogger* told :
       {&log, &other, static_cast<CountingLogger*>(nullptr)}) {
    for (CountingLogger* asked :
         {&log, static_cast<CountingLogger*>(nullptr)}) {
      BeginFile({.info_log = told, .reason = context.reason});
      context.info_log = asked;
      EXPECT_EQ(told != &other || asked == nullptr,
                TakeNewFile(context).has_value());
    }
  }
}

// RocksDB tells of a file that is deleted, but not from which level, and of
// none that CompactRange() moves or that is imported.
TEST_F(ListenerTest, ListsAfterChangesThatRocksDbDoesNotTell) {
  db_.FlushKeys("default", NumberedKeys("", 10));
  const std::vector<LiveFileMetaData> old = db_.FilesOf("other", 6);
  db_.DeleteFiles({old.begin(), old.begin() + 10});
  db_.FlushKeys("default", NumberedKeys("", 10));
  FlushAndExpectAllFiles("other");
  db_.Remove({old.end() - 10, old.end()});
  for (int i = 0; i <= kOldFiles / 64; ++i) {
    db_.FlushKeys("default", NumberedKeys("", 10));
  }
  FlushAndExpectAllFiles("other");
  db_.Close();
}

}  // namespace
}  // namespace linebloom
