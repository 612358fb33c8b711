#include "filter_policy/levels/file_plan.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/table.h"
#include "tests/filter_policy/levels/simulated_database.h"

namespace linebloom {
namespace {

using rocksdb::FilterBuildingContext;
using rocksdb::TableFileCreationReason;

constexpr double kStep = 3.3746;  // ln(10) / (ln(2) * 504 / 512)

class FilePlanTest : public testing::Test {
 protected:
  FilePlanTest() : context_(table_) {
    options_.level_aware = true;
    context_.column_family_name = "default";
    context_.num_levels = 7;
  }

  void Flush() {
    context_.level_at_creation = 0;
    context_.reason = TableFileCreationReason::kFlush;
    context_.is_bottommost = false;
  }

  void Compact(int level, bool is_bottommost = false) {
    context_.level_at_creation = level;
    context_.reason = TableFileCreationReason::kCompaction;
    context_.is_bottommost = is_bottommost;
  }

  static FileInTree Of(const TreeState& tree, double input_keys = 0) {
    FileInTree file;
    file.column_family = "default";
    file.tree = std::make_shared<TreeState>(tree);
    file.input_keys = input_keys;
    return file;
  }

  // Of a tree with two level-0 files of 10,000 keys, and with these levels from
  // level 1 on.
  static FileInTree File(std::vector<double> levels) {
    return Of({.level0_files = {10000, 10000},
               .levels = std::move(levels),
               .last_flush = 10000});
  }

  // The request for this very file, as `context_` describes it.
  FilterRequest Request(std::optional<FileInTree> file) const {
    if (file) file->reason = context_.reason;
    const auto plan = PlanOfFile(options_, context_, file);
    return plan ? plan->request : FilterRequest{.millibits_per_key = 0};
  }
  double Bits(const std::optional<FileInTree>& file = std::nullopt) const {
    return Request(file).millibits_per_key / 1000.0;
  }
  double Rate(const std::optional<FileInTree>& file = std::nullopt) const {
    return Request(file).false_positive_rate;
  }

  rocksdb::BlockBasedTableOptions table_;
  FilterBuildingContext context_;
  FilterPolicyOptions options_;
};

// Fewer keys wait to be flushed than the last flush had.
TEST_F(FilePlanTest, ASmallFlushAfterALargeOne) {
  FileInTree file = Of({.levels = {1e6}, .last_flush = 1e4});
  Flush();
  const double as_the_last = Bits(file);
  file.input_keys = 1e5;
  EXPECT_EQ(as_the_last, Bits(file));
  file.input_keys = 1e3;
  EXPECT_NEAR(as_the_last + kStep, Bits(file), 0.001);
}

TEST_F(FilePlanTest, NotLevelAware) {
  options_.level_aware = false;
  for (const int level : {-1, 0, 1, 6}) {
    Compact(level);
    EXPECT_EQ(10, Bits(File({1e5, 1e6})));
  }
  options_.bits_per_key = 0.4;
  EXPECT_EQ(0, Bits());
}

TEST_F(FilePlanTest, SizesDetermineTheBits) {
  const FileInTree file = File({1e5, 1e6, 1e7});
  Compact(3);
  const double last = Bits(file);
  EXPECT_GT(last, 9.5);
  EXPECT_LT(last, 9.75);
  Compact(2);
  EXPECT_NEAR(last + kStep, Bits(file), 0.002);
  Compact(1);
  EXPECT_NEAR(last + 2 * kStep, Bits(file), 0.002);
  Flush();
  EXPECT_NEAR(last + 3 * kStep, Bits(file), 0.002);
  // How much an empty level is to get is unknown; it may be everything.
  Compact(4);
  EXPECT_EQ(last, Bits(file));
}

// Universal compaction with a single level: all runs are files of level 0.
TEST_F(FilePlanTest, RunsInLevel0) {
  const TreeState tree = {.level0_files = {1e4, 1e4, 1e5, 1e6},
                          .last_flush = 1e4};
  context_.compaction_style = rocksdb::kCompactionStyleUniversal;
  context_.num_levels = 1;
  Compact(0);
  const double large = Bits(Of(tree, 1e6));
  EXPECT_NEAR(large + kStep, Bits(Of(tree, 1e5)), 0.002);
  Flush();
  EXPECT_NEAR(large + 2 * kStep, Bits(Of(tree)), 0.002);
}

// While a thread writes a file it may write one of another column family or
// database, or have been told of another one.
TEST_F(FilePlanTest, SizesOfAnotherFileDoNotCount) {
  Compact(1);
  const double without = Bits();
  EXPECT_EQ(10, without);
  FileInTree file = File({1e5, 1e6, 1e7});
  const double with = Bits(file);
  ASSERT_NE(with, without);
  file.column_family = "other";
  EXPECT_EQ(Bits(file), without);
  file.column_family = "default";
  context_.level_at_creation = -1;  // outside of a tree
  EXPECT_EQ(10, Bits(file));
  Compact(1, true);  // says nothing of the level's size
  EXPECT_EQ(Bits(file), with);
  Compact(1);
  file.reason = TableFileCreationReason::kFlush;
  EXPECT_EQ(
      without,
      PlanOfFile(options_, context_, file)->request.millibits_per_key / 1000.0);
  CountingLogger ours;
  context_.info_log = &ours;
  EXPECT_EQ(Bits(file), with);  // unknown whose it is
  file.info_log = &ours;
  EXPECT_EQ(Bits(file), with);
  CountingLogger others;
  file.info_log = &others;
  EXPECT_EQ(Bits(file), without);
}

TEST_F(FilePlanTest, TheAverageUntilSizesAreKnown) {
  FileInTree unknown = Of({});
  unknown.tree = nullptr;
  for (const FileInTree& file : {unknown, Of({})}) {
    Flush();
    EXPECT_EQ(10, Bits(file));
    Compact(1);
    EXPECT_EQ(10, Bits(file));
    Compact(6, true);
    EXPECT_EQ(10, Bits(file));
  }
  // A database just opened: the size of a flush is unknown.
  Flush();
  EXPECT_EQ(10, Bits(Of({.levels = {1e5, 1e6}})));
  // What a file recovered from the log belongs to is unknown, but it is small.
  context_.reason = TableFileCreationReason::kRecovery;
  EXPECT_EQ(13, Bits(unknown));
  options_.level_aware = false;
  EXPECT_EQ(10, Bits(unknown));
}

// A database that was just opened knows its files, and how much it flushes.
TEST_F(FilePlanTest, TheFirstFlushAfterOpening) {
  FileInTree file = Of({.levels = {0, 1e6},
                        .filters = {.rows = 1e6, .keys = 1e6, .bits = 10e6}});
  Flush();
  EXPECT_EQ(10, Bits(file));  // RocksDB doesn't say how much
  file.input_keys = 1e4;
  EXPECT_NEAR(10 + 2 * kStep, Bits(file), 0.2);
}

// Filters that aren't known count as average; those that are, as they are.
TEST_F(FilePlanTest, MakesUpForOtherFilters) {
  const auto bits = [this](const FilterTotals& others) {
    return Bits(
        Of({.levels = {1e5, 1e6}, .last_flush = 1e4, .filters = others}, 1e5));
  };
  Compact(1);
  EXPECT_NEAR(bits({}), bits({.unknown = 1e6}), 0.4);
  EXPECT_GT(bits({.rows = 1e6, .keys = 1e6, .bits = 9.5e6}),
            bits({.rows = 1e6, .keys = 1e6, .bits = 9.9e6}));
  // Not this file's fault.
  EXPECT_EQ(10, bits({.rows = 1e6, .keys = 1e6, .bits = 13e6}));
}

// The bits of a file of a tree whose filters have `live`, at `budget` bits.
class BudgetPlanTest : public FilePlanTest {
 protected:
  FilterPlan Plan(FileInTree file, const FilterTotals& live, double budget) {
    file.account = std::make_shared<FilterAccount>();
    file.account->SetLive("", live, [](const std::string&) { return false; });
    file.reason = context_.reason;
    options_.memory_budget = static_cast<uint64_t>(budget / 8);
    const BudgetState state = StateOfBudget(options_, context_, file);
    return *PlanWithinBudget(options_, context_, file, state);
  }
  double BitsOf(const FileInTree& file, const FilterTotals& live,
                double budget) {
    return Plan(file, live, budget).request.millibits_per_key / 1000.0;
  }
};

// With more than the budget taken, and four files for a compaction of level 0.
TEST_F(BudgetPlanTest, FlushesThatAreSoonMergedGetLess) {
  FileInTree file = File({1e5, 1e6});
  Flush();
  const auto bits = [&](size_t waiting) {
    file.level0_waiting = waiting;
    return BitsOf(file, {.keys = 1.12e6, .bits = 1.15e7}, 1e7);
  };
  const double share = 1e7 / 1.13e6;
  EXPECT_NEAR(share + 2, bits(3), 0.01);
  EXPECT_NEAR(0.75 * (share + 2), bits(4), 0.01);
  context_.compaction_style = rocksdb::kCompactionStyleUniversal;
  EXPECT_NEAR(share + 2, bits(4), 0.01);
}

TEST_F(BudgetPlanTest, OtherOptionsAreThePolicys) {
  options_.line = Line::kPlain;
  options_.hash_seed = 7;
  Compact(1);
  const FilterRequest request =
      Plan(Of({.levels = {1e6}}), {.keys = 1e6}, 1e7).request;
  EXPECT_EQ(Line::kPlain, request.line);
  EXPECT_EQ(7, request.hash_seed);
}

// Averaged over the tree, more gain nothing. In a load in key order nobody
// knows how many keys will come.
TEST_F(BudgetPlanTest, AmpleBudgetsAreNotSpent) {
  TreeState tree = {.levels = {1e6}, .last_flush = 1e4};
  Compact(1);
  EXPECT_NEAR(16, BitsOf(Of(tree), {.keys = 1e6}, 1e9), 0.01);
  Flush();
  tree.may_be_in_order = true;
  EXPECT_NEAR(12, BitsOf(Of(tree), {.keys = 1e6}, 1e9), 0.01);
  EXPECT_NEAR(10 / 3.0, BitsOf(Of(tree), {.keys = 1e6}, 1.01e7), 0.01);
}

TEST_F(FilePlanTest, RateOfALevelIsItsShareOfTheSum) {
  options_.bits_per_key.reset();
  options_.false_positive_rate = 0.01;
  const FileInTree file = File({0, 1e6, 8.98e6});  // 10M keys with level 0
  Compact(3);
  EXPECT_NEAR(0.00898, Rate(file), 1e-6);
  Compact(2);
  EXPECT_NEAR(0.001, Rate(file), 1e-6);
  Flush();
  EXPECT_NEAR(0.00001, Rate(file), 1e-6);
  EXPECT_EQ(0.01, Rate());
  // No line could reach 1e-10.
  Flush();
  EXPECT_EQ(LowestRate(Line::kSolved), Rate(File({1e5, 1e6, 1e12})));
}

}  // namespace
}  // namespace linebloom
