// Filters whose bits depend on the level, in databases of every shape.

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/sst_file_writer.h"
#include "tests/rocksdb/tree_fixture.h"

namespace linebloom {
namespace {

class LevelAwareTest : public TreeTest {
 protected:
  LevelAwareTest() { UseLevelAware(); }

  void UseLevelAware() {
    UseOptions({.bits_per_key = 10, .level_aware = true});
  }

  std::map<int, LiveFilters> FiltersByLevel() {
    const auto properties = AllProperties(db_.get());
    std::map<int, LiveFilters> levels;
    size_t i = 0;
    for (const auto& file : Files()) levels[file.level].Add(*properties[i++]);
    return levels;
  }

  double BitsOfLevel(int level) {
    return FiltersByLevel()[level].bits_per_key();
  }

  // Lines of the info log that miss the listener.
  int CountWarnings() const {
    return CountInLog({"[WARN]", "linebloom_level_sizes"});
  }

  // Five sorted runs, each level ten times as large as the one above.
  void WriteTree() {
    WriteFile(kRows, 3, 4);             // 100,000 rows
    WriteFile({2, kRows.end}, 2, 40);   // 10,000
    WriteFile({6, kRows.end}, 1, 400);  // 1,000
    WriteFile({10, kRows.end}, 0, 400);
    WriteFile({14, kRows.end}, 0, 400);
  }

  void PutAndWait(bool in_order) {
    UseSmallLevels(64 << 10, 256 << 10);
    options_.level0_file_num_compaction_trigger = 2;
    DestroyAndReopen();
    const std::vector<uint64_t> numbers = Numbers(kRows.present(), in_order);
    // Otherwise half of all rows would pile up in level 0.
    for (auto at = numbers.begin(); at != numbers.end(); at += 5000) {
      Put({at, at + 5000});
      WaitForCompactions();
    }
    Flush();
    WaitForCompactions();
  }

  // Data blocks read in vain per missing row, over all sorted runs.
  double FalseReadsPerMissingRow() {
    return static_cast<double>(CountMissing(kRows).maybe) /
           static_cast<double>(kRows.missing());
  }

  static constexpr Rows kRows{0, 400000};
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

struct Shape {
  const char* name;
  rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel;
  int num_levels = 7;
  bool dynamic = false;
};
std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.name;
}

class LiveTreeTest : public LevelAwareTest,
                     public testing::WithParamInterface<Shape> {};

INSTANTIATE_TEST_SUITE_P(
    Shapes, LiveTreeTest,
    testing::Values(Shape{"Leveled"}, Shape{.name = "Dynamic", .dynamic = true},
                    Shape{"Universal", rocksdb::kCompactionStyleUniversal},
                    Shape{"OneLevel", rocksdb::kCompactionStyleUniversal, 1}),
    [](const auto& test) { return std::string(test.param.name); });

// Keeps to its average when all jobs are done.
TEST_P(LiveTreeTest, KeepsToWhatWasAsked) {
  const Shape& shape = GetParam();
  const bool leveled = shape.style == rocksdb::kCompactionStyleLevel;
  UseLevelAware();
  UseListener();
  options_.compaction_style = shape.style;
  options_.num_levels = shape.num_levels;
  options_.level_compaction_dynamic_level_bytes = shape.dynamic;
  PutAndWait(/*in_order=*/false);
  const double bits = Now().bits_per_key();
  const double reads = FalseReadsPerMissingRow();
  EXPECT_EQ(kRows.present(), CountPresent(kRows).true_positive);
  EXPECT_LE(bits, leveled ? 11 : 13);
  EXPECT_LE(reads, 0.02);
  if (leveled) {
    EXPECT_GE(bits, 9);
  }
  const auto levels = FiltersByLevel();
  if (leveled) {
    ASSERT_GE(levels.size(), 2u);
    EXPECT_GT(levels.begin()->second.bits_per_key(),
              levels.rbegin()->second.bits_per_key() + 1);
  }
}

class GrowingTreeTest : public LevelAwareTest,
                        public testing::WithParamInterface<int> {};

TEST_P(GrowingTreeTest, IsNeverATenthAboveTheAverage) {
  ForEachLoad([this](bool in_order, rocksdb::CompactionStyle style) {
    const auto seen = Grow(kRows.present(), in_order, style, GetParam());
    printf(
        "%s, style %d: at most %.2f bits per key in %zu trees, %.2f in the "
        "end\n",
        in_order ? "in order" : "at random", style, seen.max_bits_per_key,
        seen.trees, Now().bits_per_key());
    EXPECT_GT(seen.trees, 20);
    EXPECT_LE(seen.max_bits_per_key, 11);
    // While compactions are behind, the tree has the bits of another shape:
    // 9.33 with delays of up to 150 ms.
    EXPECT_GE(Now().bits_per_key(), 9);
  });
}

INSTANTIATE_TEST_SUITE_P(MillisecondsOfDelay, GrowingTreeTest,
                         testing::Values(0, 60));

// RocksDB moves files that overlap with nothing down to the last level
// unchanged, with the bits of level 0. The listener notices that.
TEST_F(LevelAwareTest, ALoadInTheOrderOfKeys) {
  UseListener();
  PutAndWait(/*in_order=*/true);
  EXPECT_LT(Now().bits_per_key(), 12);
  CompactAll();
  EXPECT_NEAR(10, Now().bits_per_key(), 0.7);
}

// RebuildFilters() must accept the files that it has written; otherwise every
// call would rewrite them.
TEST_F(LevelAwareTest, OldFilesAreRebuiltOnceWithTheBitsOfTheirLevel) {
  UsePolicy(kBloom);
  DestroyAndReopen();
  WriteTree();
  const double before = FalseReadsPerMissingRow();
  UseLevelAware();
  UseListener();
  Reopen();
  EXPECT_EQ(5u, Rebuild(db_.get()).files.size());
  EXPECT_GT(BitsOfLevel(2), BitsOfLevel(3) + 3);
  EXPECT_GT(BitsOfLevel(0), BitsOfLevel(2));
  EXPECT_LT(FalseReadsPerMissingRow(), before / 2);
  EXPECT_EQ(0u, Rebuild(db_.get()).files.size());
}

}  // namespace
}  // namespace linebloom
