// Filters whose bits depend on the level, in databases of every shape.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/options_util.h"
#include "tests/rocksdb/db_fixture.h"
#include "tests/rocksdb/filter_watch.h"
#include "tests/rocksdb/slow_jobs.h"

namespace linebloom {
namespace {

constexpr double kStep = 3.375;  // ln(10) / (ln(2) * 504 / 512)
// The last level's share of 10 bits per key in a full tree, 9.625, with the
// byte that each eight lines take besides.
constexpr double kLastOf10 = 9.644;

// Sums over the files of one level.
struct LevelFilters {
  uint64_t files = 0;
  double keys = 0;
  double bits = 0;

  double bits_per_key() const { return bits / keys; }
};

class LevelAwareTest : public DbTest {
 protected:
  LevelAwareTest() { UseLevelAware({}); }

  void UseLevelAware(FilterPolicyOptions options) {
    options.level_aware = true;
    table_.filter_policy.reset(NewFilterPolicy(options));
  }

  void UseListener() { options_.listeners = {NewLevelSizeListener()}; }

  std::map<int, LevelFilters> FiltersByLevel() {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    rocksdb::TablePropertiesCollection properties;
    EXPECT_OK(db_->GetPropertiesOfAllTables(&properties));
    std::map<int, LevelFilters> levels;
    for (const auto& file : files) {
      LevelFilters& level = levels[file.level];
      ++level.files;
      level.keys += static_cast<double>(file.num_entries);
      level.bits +=
          8.0 * static_cast<double>(
                    properties.at(file.db_path + file.name)->filter_size);
    }
    return levels;
  }

  // Lines of the info log that miss the listener.
  int CountWarnings() {
    std::ifstream log(Path("db/LOG"));
    int warnings = 0;
    for (std::string line; std::getline(log, line);) {
      warnings += line.find("[WARN]") != std::string::npos &&
                  line.find("level_aware=true") != std::string::npos &&
                  line.find("linebloom_level_sizes") != std::string::npos;
    }
    return warnings;
  }

  double BitsOfLevel(int level) {
    return FiltersByLevel()[level].bits_per_key();
  }

  double BitsOfAllLevels() {
    double bits = 0;
    double keys = 0;
    for (const auto& [level, filters] : FiltersByLevel()) {
      bits += filters.bits;
      keys += filters.keys;
    }
    return bits / keys;
  }

  // Every `step`th row from `first` on, in one file of `level`.
  void WriteRowsTo(int level, uint64_t first, uint64_t step) {
    for (uint64_t i = first; i < kRows.present(); i += step) {
      ASSERT_OK(db_->Put({}, RowKey(2 * i), RowValue(2 * i)));
    }
    Flush();
    if (level == 0) return;
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::vector<std::string> names;
    for (const auto& file : files) {
      if (file.level == 0) names.push_back(file.name);
    }
    ASSERT_OK(db_->CompactFiles({}, names, level));
  }

  // Expects from the start what WriteTree() writes.
  void UseListenerOfWriteTree() {
    ExpectedLevelSizes expected;
    expected.keys = {2000, 1000, 10000, 100000};
    expected.level0_files = 2;
    options_.listeners = {NewLevelSizeListener(expected)};
  }

  // Five sorted runs, each level ten times as large as the one above.
  void WriteTree() {
    WriteRowsTo(3, 0, 2);    // 100,000 rows
    WriteRowsTo(2, 1, 20);   // 10,000
    WriteRowsTo(1, 3, 200);  // 1,000
    WriteRowsTo(0, 5, 200);
    WriteRowsTo(0, 7, 200);
  }

  // Waits until nothing has run for a while. RocksDB's own compaction-pending
  // stays set in universal compaction even if there is nothing to pick.
  void WaitForCompactions() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      for (const char* what :
           {"rocksdb.num-running-compactions", "rocksdb.num-running-flushes",
            "rocksdb.mem-table-flush-pending"}) {
        uint64_t count = 0;
        EXPECT_TRUE(db_->GetIntProperty(what, &count)) << what;
        if (count > 0) quiet = 0;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  // Memtables of 64 KiB, levels of 256 KiB, 1 MiB and so on.
  void UseSmallLevels() {
    options_.disable_auto_compactions = false;
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 64 << 10;
    options_.max_bytes_for_level_base = 256 << 10;
    options_.max_bytes_for_level_multiplier = 4;
    options_.level0_file_num_compaction_trigger = 2;
  }

  void PutAndWait(const std::vector<uint64_t>& numbers) {
    UseSmallLevels();
    Reopen();
    for (size_t n = 0; n < numbers.size(); ++n) {
      ASSERT_OK(db_->Put({}, RowKey(numbers[n]), RowValue(numbers[n])));
      // Otherwise half of all rows would pile up in level 0.
      if (n % 5000 == 4999) WaitForCompactions();
    }
    Flush();
    WaitForCompactions();
  }

  static std::vector<uint64_t> NumbersInOrder() {
    std::vector<uint64_t> numbers;
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) numbers.push_back(i);
    return numbers;
  }

  void PutInOrder() { PutAndWait(NumbersInOrder()); }

  void PutInRandomOrder() {
    std::vector<uint64_t> numbers = NumbersInOrder();
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(1));
    PutAndWait(numbers);
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
}

TEST_F(LevelAwareTest, NoWarningWithTheListener) {
  UseListener();
  DestroyAndReopen();
  ASSERT_OK(db_->Put({}, "recovered", "value"));
  Reopen();  // recovers a row
  WriteFile({0, 2000});
  CompactAll();
  EXPECT_EQ(0, CountWarnings());
}

// Only files of databases have a level.
TEST_F(LevelAwareTest, NoWarningOfAnSstFileWriter) {
  UseListener();
  DestroyAndReopen();
  rocksdb::Options options = OptionsWithTable();
  options.info_log = db_->GetDBOptions().info_log;
  rocksdb::SstFileWriter writer({}, options);
  ASSERT_OK(writer.Open(Path("a.sst")));
  ASSERT_OK(writer.Put("key", "value"));
  ASSERT_OK(writer.Finish());
  EXPECT_EQ(0, CountWarnings());
}

// A file of 1,000 keys has 36 to 40 lines, on average half a line too many, so
// it may be 1.1 bits above.
TEST_F(LevelAwareTest, WithoutListenerByTheLevelAlone) {
  options_.num_levels = 4;
  Reopen();
  WriteRowsTo(3, 0, 2);
  WriteRowsTo(2, 1, 20);
  WriteRowsTo(1, 3, 200);
  WriteRowsTo(0, 5, 200);
  EXPECT_NEAR(kLastOf10, BitsOfLevel(3), 0.02);
  EXPECT_NEAR(kLastOf10 + kStep, BitsOfLevel(2), 0.12);
  EXPECT_NEAR(kLastOf10 + 2 * kStep, BitsOfLevel(1), 1.1);
  EXPECT_NEAR(kLastOf10 + 2 * kStep, BitsOfLevel(0), 1.1);
}

TEST_F(LevelAwareTest, WithListenerByTheLevelsSizes) {
  UseListener();
  Reopen();
  WriteRowsTo(3, 0, 2);                  // 100,000 rows
  EXPECT_NEAR(10, BitsOfLevel(3), 0.1);  // it was alone
  // RocksDB doesn't say how much CompactFiles() reads, so a file for an empty
  // level may be the whole tree.
  WriteRowsTo(1, 3, 200);
  EXPECT_LT(BitsOfLevel(1), 12);
  // Now the level has 1,000 keys, a hundredth of the last level.
  WriteRowsTo(1, 5, 200);
  EXPECT_NEAR(kLastOf10 + 2 * kStep, BitsOfLevel(1), 2);
}

TEST_F(LevelAwareTest, WithExpectedSizesFromTheStart) {
  UseListenerOfWriteTree();
  Reopen();
  WriteTree();
  const double last = BitsOfLevel(3);
  EXPECT_NEAR(kLastOf10, last, 0.2);
  EXPECT_NEAR(last + kStep, BitsOfLevel(2), 0.12);
  EXPECT_NEAR(last + 2 * kStep, BitsOfLevel(1), 1.1);
  EXPECT_NEAR(last + 2 * kStep, BitsOfLevel(0), 1.1);
  EXPECT_NEAR(10, BitsOfAllLevels(), 0.1);
}

TEST_F(LevelAwareTest, FewerReadsForTheSameMemory) {
  UseListenerOfWriteTree();
  Reopen();
  WriteTree();
  const double level_aware = FalseReadsPerMissingRow();
  const double bits = BitsOfAllLevels();
  // Without sizes, the policy assumes that all levels are full.
  options_.listeners.clear();
  DestroyAndReopen();
  WriteTree();
  const double by_ratio = FalseReadsPerMissingRow();
  EXPECT_NEAR(bits, BitsOfAllLevels(), 0.7);

  UsePolicy(PolicyKind::kLinebloom, bits);
  DestroyAndReopen();
  WriteTree();
  const double uniform = FalseReadsPerMissingRow();
  EXPECT_GE(BitsOfAllLevels(), bits - 0.01);
  EXPECT_LT(level_aware, 0.4 * uniform);
  EXPECT_LT(by_ratio, 0.4 * uniform);
  printf(
      "reads for nothing per missing row at %.2f bits per key: %.4f level "
      "aware by sizes, %.4f by ratio, %.4f uniform\n",
      bits, level_aware, by_ratio, uniform);
}

TEST_F(LevelAwareTest, ALiveTreeKeepsToItsAverage) {
  UseListener();
  PutInRandomOrder();
  const auto levels = FiltersByLevel();
  ASSERT_GE(levels.size(), 3u);
  // Files have 600 keys: see above.
  EXPECT_NEAR(10, BitsOfAllLevels(), 1);
  EXPECT_GT(levels.begin()->second.bits_per_key(), BitsOfAllLevels() + 1);
  EXPECT_EQ(kRows.present(), CountPresent(kRows).true_positive);
}

TEST_F(LevelAwareTest, ALiveTreeKeepsToItsRate) {
  FilterPolicyOptions options;
  options.false_positive_rate = 0.02;
  UseLevelAware(options);
  UseListener();
  PutInRandomOrder();
  EXPECT_GE(FiltersByLevel().size(), 3u);
  const double reads = FalseReadsPerMissingRow();
  EXPECT_LT(reads, 0.024);
  EXPECT_GT(reads, 0.008);
}

TEST_F(LevelAwareTest, DynamicLevelBytes) {
  options_.level_compaction_dynamic_level_bytes = true;
  for (const bool with_listener : {false, true}) {
    SCOPED_TRACE(with_listener);
    options_.listeners.clear();
    if (with_listener) UseListener();
    Close();
    DestroyAndReopen();
    PutInRandomOrder();
    const auto levels = FiltersByLevel();
    ASSERT_EQ(1u, levels.count(6));
    ASSERT_GE(levels.size(), 2u);
    EXPECT_LT(levels.at(6).bits_per_key(), 10.5);
    EXPECT_GT(levels.begin()->second.bits_per_key(),
              levels.at(6).bits_per_key() + 1);
    EXPECT_EQ(kRows.present(), CountPresent(kRows).true_positive);
  }
}

TEST_F(LevelAwareTest, UniversalCompaction) {
  options_.compaction_style = rocksdb::kCompactionStyleUniversal;
  for (const int num_levels : {1, 7}) {
    for (const bool with_listener : {false, true}) {
      SCOPED_TRACE(num_levels);
      SCOPED_TRACE(with_listener);
      options_.num_levels = num_levels;
      options_.listeners.clear();
      if (with_listener) UseListener();
      Close();
      DestroyAndReopen();
      PutInRandomOrder();
      EXPECT_EQ(kRows.present(), CountPresent(kRows).true_positive);
      EXPECT_LT(FalseReadsPerMissingRow(), 0.02);
      EXPECT_LT(BitsOfAllLevels(), 13);
    }
  }
}

TEST_F(LevelAwareTest, FifoCompaction) {
  options_.compaction_style = rocksdb::kCompactionStyleFIFO;
  options_.num_levels = 1;
  for (const bool with_listener : {false, true}) {
    SCOPED_TRACE(with_listener);
    options_.listeners.clear();
    if (with_listener) UseListener();
    Close();
    DestroyAndReopen();
    for (int file = 0; file < 5; ++file) WriteRowsTo(0, file, 50);
    // All runs are alike.
    EXPECT_NEAR(10, BitsOfLevel(0), 0.7);
  }
}

TEST_F(LevelAwareTest, AFileThatIsMovedKeepsItsBits) {
  options_.num_levels = 4;
  Reopen();
  WriteRowsTo(0, 0, 2);
  const double before = BitsOfLevel(0);
  EXPECT_GT(before, 16);
  rocksdb::CompactRangeOptions move;
  move.change_level = true;
  move.target_level = 3;
  move.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kSkip;
  ASSERT_OK(db_->CompactRange(move, nullptr, nullptr));
  EXPECT_EQ(before, BitsOfLevel(3));
  CompactAll();
  EXPECT_NEAR(kLastOf10, BitsOfLevel(3), 0.05);
}

// A database that begins empty, is reopened halfway, and grows as fast as it
// can.
class GrowingTreeTest : public LevelAwareTest,
                        public testing::WithParamInterface<int> {};

TEST_P(GrowingTreeTest, IsNeverATenthAboveTheAverage) {
  const auto slow_jobs =
      std::make_shared<SlowJobs>(std::chrono::milliseconds(GetParam()));
  for (const bool in_order : {false, true}) {
    for (const auto style :
         {rocksdb::kCompactionStyleLevel, rocksdb::kCompactionStyleUniversal}) {
      SCOPED_TRACE(in_order);
      SCOPED_TRACE(style);
      UseSmallLevels();
      options_.compaction_style = style;
      options_.write_buffer_size = 256 << 10;  // some 2,500 rows
      options_.target_file_size_base = 256 << 10;
      options_.max_bytes_for_level_base = 512 << 10;
      options_.max_background_jobs = 4;
      const auto watch = std::make_shared<FilterWatch>();
      UseListener();
      options_.listeners.push_back(slow_jobs);
      options_.listeners.push_back(watch);
      Close();
      DestroyAndReopen();
      std::vector<uint64_t> numbers = NumbersInOrder();
      if (!in_order) {
        std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(1));
      }
      for (size_t n = 0; n < numbers.size(); ++n) {
        ASSERT_OK(db_->Put({}, RowKey(numbers[n]), RowValue(numbers[n])));
        if (n == numbers.size() / 2) Reopen();
      }
      Flush();
      WaitForCompactions();
      const FilterWatch::Seen seen = watch->Take();
      ASSERT_OK(seen.status);
      printf(
          "%s, style %d: at most %.2f bits per key in %zu trees, %.2f in the "
          "end\n",
          in_order ? "in order" : "at random", style, seen.most_bits_per_entry,
          seen.trees, BitsOfAllLevels());
      EXPECT_GT(seen.trees, 20);
      EXPECT_LE(seen.most_bits_per_entry, 11);
      // While compactions are behind, the tree has the bits of another shape:
      // 9.33 with delays of up to 150 ms.
      EXPECT_GE(BitsOfAllLevels(), 9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(MillisecondsOfDelay, GrowingTreeTest,
                         testing::Values(0, 60));

// A new database at the path of one that was destroyed.
TEST_F(LevelAwareTest, ADestroyedDatabaseIsForgotten) {
  UseListener();
  Reopen();
  WriteRowsTo(6, 0, 1);
  WriteRowsTo(0, 1, 100);
  DestroyAndReopen();
  WriteRowsTo(0, 0, 100);
  EXPECT_NEAR(10, BitsOfLevel(0), 0.7);
}

// RocksDB moves files that overlap with nothing down to the last level
// unchanged, with the bits of level 0. The listener notices that.
// docs/tuning.md has the output.
TEST_F(LevelAwareTest, ALoadInTheOrderOfKeys) {
  for (const bool with_listener : {false, true}) {
    options_.listeners.clear();
    if (with_listener) UseListener();
    DestroyAndReopen();
    PutInOrder();
    const double moved = BitsOfAllLevels();
    CompactAll();
    const double rewritten = BitsOfAllLevels();
    printf("loaded in order %s listener: %.1f bits per key, %.1f rewritten\n",
           with_listener ? "with" : "without", moved, rewritten);
    if (with_listener) {
      EXPECT_LT(moved, 12);
    } else {
      EXPECT_GT(moved, 16);
    }
    EXPECT_NEAR(10, rewritten, 0.7);
  }
}

TEST_F(LevelAwareTest, FilesWrittenElsewhereAreOfTheLastLevel) {
  Reopen();
  rocksdb::SstFileWriter writer({}, OptionsWithTable());
  ASSERT_OK(writer.Open(Path("elsewhere.sst")));
  for (uint64_t i = 0; i < 100000; i += 2) {
    ASSERT_OK(writer.Put(RowKey(i), RowValue(i)));
  }
  ASSERT_OK(writer.Finish());
  ASSERT_OK(db_->IngestExternalFile({Path("elsewhere.sst")}, {}));
  EXPECT_NEAR(kLastOf10, BitsOfAllLevels(), 0.05);
}

// RebuildFilters() must accept the files that it has written; otherwise every
// call would rewrite them.
TEST_F(LevelAwareTest, OldFilesAreRebuiltOnceWithTheBitsOfTheirLevel) {
  FilterPolicyOptions by_rate;
  by_rate.false_positive_rate = 0.005;
  for (const FilterPolicyOptions& options : {FilterPolicyOptions(), by_rate}) {
    for (const bool with_listener : {false, true}) {
      SCOPED_TRACE(with_listener);
      options_.listeners.clear();
      UsePolicy(PolicyKind::kBuiltinBloom);
      DestroyAndReopen();
      WriteTree();
      const double before = FalseReadsPerMissingRow();
      UseLevelAware(options);
      if (with_listener) UseListener();
      Reopen();
      RebuildFiltersReport report;
      ASSERT_OK(RebuildFilters(db_.get(), {}, nullptr, &report));
      EXPECT_EQ(5u, report.files.size());
      EXPECT_GT(BitsOfLevel(2), BitsOfLevel(3) + 3);
      EXPECT_GT(BitsOfLevel(0), BitsOfLevel(2));
      EXPECT_LT(FalseReadsPerMissingRow(), before / 2);
      ASSERT_OK(RebuildFilters(db_.get(), {}, nullptr, &report));
      EXPECT_EQ(0u, report.files.size());
    }
  }
}

// Two column families and two databases with one policy and one listener.
TEST_F(LevelAwareTest, SizesAreOfTheColumnFamilyAndDatabase) {
  UseListener();
  Reopen();
  WriteRowsTo(6, 0, 1);  // the default column family is large
  rocksdb::ColumnFamilyHandle* small = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(OptionsWithTable(), "small", &small));
  const auto bits_of_small = [&] {
    rocksdb::TablePropertiesCollection properties;
    EXPECT_OK(db_->GetPropertiesOfAllTables(small, &properties));
    double bits = 0;
    double keys = 0;
    for (const auto& [path, table] : properties) {
      bits += 8.0 * static_cast<double>(table->filter_size);
      keys += static_cast<double>(table->num_entries);
    }
    return bits / keys;
  };
  const auto put_in_small = [&] {
    for (uint64_t i = 0; i < 4000; i += 2) {
      ASSERT_OK(db_->Put({}, small, RowKey(i), RowValue(i)));
    }
    ASSERT_OK(db_->Flush({}, small));
  };
  put_in_small();
  put_in_small();
  // Alone in its column family, the second file is as large as the first.
  rocksdb::CompactRangeOptions compact;
  compact.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(compact, small, nullptr, nullptr));
  EXPECT_NEAR(10, bits_of_small(), 1.5);
  ASSERT_OK(db_->DestroyColumnFamilyHandle(small));
}

// As in db_bench and the like: both by option strings.
TEST_F(LevelAwareTest, TheListenerByAnOptionString) {
  rocksdb::DBOptions db_options;
  ASSERT_OK(rocksdb::GetDBOptionsFromString(
      rocksdb::ConfigOptions(), {},
      std::string("listeners=") + kLevelSizeListenerName, &db_options));
  ASSERT_EQ(1u, db_options.listeners.size());
  EXPECT_STREQ(kLevelSizeListenerName, db_options.listeners[0]->Name());
  options_.listeners = db_options.listeners;
  Reopen();
  WriteRowsTo(3, 0, 2);
  WriteRowsTo(2, 1, 4);
  EXPECT_NEAR(10, BitsOfLevel(3), 0.1);
  EXPECT_LT(BitsOfLevel(2), 12);
}

TEST_F(LevelAwareTest, AReopenedDatabaseFindsBothInItsOptions) {
  UseListener();
  Reopen();
  WriteRowsTo(3, 0, 2);
  Close();
  rocksdb::ConfigOptions strict;
  strict.ignore_unknown_options = false;
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_OK(
      rocksdb::LoadLatestOptions(strict, Path("db"), &db_options, &families));
  ASSERT_EQ(1u, db_options.listeners.size());
  ASSERT_EQ(1u, families.size());
  const auto* const table =
      families[0]
          .options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  ASSERT_NE(nullptr, table);
  std::string level_aware;
  ASSERT_OK(
      table->filter_policy->GetOption(strict, "level_aware", &level_aware));
  EXPECT_EQ("true", level_aware);
}

}  // namespace
}  // namespace linebloom
