#include "filter_policy/bits/allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"

namespace linebloom {
namespace {

using rocksdb::TableFileCreationReason;

NewFile Compacted(const TreeState& tree, int level, double input_keys = 0) {
  return {.reason = TableFileCreationReason::kCompaction,
          .tree = std::make_shared<TreeState>(tree),
          .input_keys = input_keys,
          .level = level};
}

NewFile Flushed(const TreeState& tree, double waiting = 0) {
  NewFile file = Compacted(tree, 0, waiting);
  file.reason = TableFileCreationReason::kFlush;
  return file;
}

NewFile InUniversal(NewFile file) {
  file.style = rocksdb::kCompactionStyleUniversal;
  return file;
}

FileTotals Filters(double keys, double bits_per_key) {
  return {.rows = keys, .keys = keys, .bits = keys * bits_per_key};
}

// Files of level 0 and levels with so many keys.
TreeState Tree(const std::vector<double>& level0,
               const std::vector<double>& levels,
               const FileTotals& filters = {}) {
  TreeState tree;
  for (const double keys : level0) tree.Add({.rows = keys}, 0);
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] > 0) tree.Add({.rows = levels[i]}, static_cast<int>(i) + 1);
  }
  tree.filters = filters;
  return tree;
}

// A level with a tenth of the keys gets 3.37 bits more.
TEST(AllocationTest, BitsOfEachKindOfFile) {
  const TreeState full = Tree({1e4, 1e4}, {1e5, 1e6, 1e7});
  const auto universal = [](std::vector<double> others, double input) {
    return InUniversal(Compacted(Tree(others, {}), 0, input));
  };
  TreeState opened = Tree({}, {0, 1e6}, Filters(1e6, 10));
  // Into the last level, which has 900,000 keys beside the job's.
  const auto others = [](const FileTotals& filters) {
    return Compacted(Tree({}, {1e5, 9e5}, filters), 2, 1e5);
  };
  TreeState in_order = full;
  in_order.in_order = true;
  const struct {
    const char* what;
    NewFile file;
    double bits;
  } cases[] = {
      {"the last level", Compacted(full, 3), 9.62},
      {"a tenth of it", Compacted(full, 2), 13.00},
      {"a hundredth", Compacted(full, 1), 16.37},
      {"a flush, a thousandth", Flushed(full), 19.75},
      {"an empty level may get everything", Compacted(full, 4), 9.62},
      {"a flush in key order moves down", Flushed(in_order), 9.62},
      {"a merge beside it doesn't", Compacted(in_order, 2), 13.00},
      {"the largest run of universal compaction",
       universal({1e4, 1e4, 1e5}, 1e6), 9.63},
      {"a tenth of it", universal({1e4, 1e4, 1e6}, 1e5), 13.01},
      {"a hundredth", InUniversal(Flushed(Tree({1e4, 1e4, 1e5, 1e6}, {}), 1e4)),
       16.38},
      {"a flush of what waits", Flushed(Tree({}, {1e6}), 1e4), 16.72},
      {"some of it in other families", Flushed(Tree({1e4}, {1e6}), 1e5), 16.72},
      {"the first flush, size unknown", Flushed(opened), 10},
      {"the first flush", Flushed(opened, 1e4), 16.71},
      {"no sizes", {.reason = TableFileCreationReason::kCompaction}, 10},
      {"an empty tree", Compacted({}, 1), 10},
      {"recovered", {.reason = TableFileCreationReason::kRecovery}, 13},
      {"unknown filters count as average", others({.unknown = 1e6}), 9.72},
      {"others have too little", others(Filters(1e6, 9.5)), 10.17},
      {"others have too much", others(Filters(1e6, 10.5)), 9.27},
      {"much too little", others(Filters(1e6, 4)), 11.69},
      {"much too much", others(Filters(1e6, 16)), 7.69},
      {"what they have beyond their keys doesn't count",
       others({.rows = 1e6,
               .keys = 1e6,
               .bits = 12e6,
               .files = 2.1e6 / (8 * (kFilterBlockOverhead + 32.0))}),
       9.81},
  };
  for (const auto& [what, file, bits] : cases) {
    EXPECT_NEAR(bits, BitsForFile(file, 10), 0.1) << what;
  }
  EXPECT_TRUE(Flushed(in_order).may_grow() && InUniversal({}).may_grow());
  EXPECT_FALSE(Flushed(full).may_grow() || Compacted(in_order, 2).may_grow());
}

TEST(AllocationTest, SmallRunsMakeUpForNothing) {
  const std::vector<double> levels = {1e5, 1e6, 1e7};
  const auto bits_of = [&](int level, double others) {
    return BitsForFile(Compacted(Tree({}, levels, Filters(1e7, others)), level),
                       10);
  };
  for (const int level : {1, 2}) {
    const double planned = bits_of(level, 10);
    EXPECT_NEAR(level == 1 ? 16.37 : 13.00, planned, 0.1);
    for (const double others : {4.0, 9.0, 11.0, 16.0}) {
      EXPECT_EQ(planned, bits_of(level, others));
    }
  }
}

double Uniform(double min, double max, std::mt19937_64* random) {
  return std::uniform_real_distribution<double>(min, max)(*random);
}

// 1 to 10 levels, each up to a million times as large as another.
TreeState RandomTree(std::mt19937_64* random) {
  std::vector<double> levels(1 + (*random)() % 10);
  for (double& keys : levels) keys = std::pow(10, Uniform(3, 9, random));
  return Tree({}, levels);
}

// A tree at rest keeps its memory and limits, and no shift of memory from one
// level to another lowers the reads.
TEST(AllocationTest, NothingIsBetter) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const LineKind line = i % 2 == 0 ? LineKind::kPlain : LineKind::kSolved;
    const double slope = LogRatePerBit(line);
    const double average = Uniform(1, 25, &random);
    const TreeState tree = RandomTree(&random);
    const std::vector<double> runs = tree.Runs();
    std::vector<double> best;
    double memory = 0;
    for (size_t level = 0; level < runs.size(); ++level) {
      NewFile file = Compacted(tree, static_cast<int>(level) + 1);
      file.line = line;
      best.push_back(BitsForFile(file, average));
      EXPECT_GE(best.back(), kMinBitsOfRun);
      EXPECT_LE(best.back(), kMaxBitsOfRun);
      memory += runs[level] * best.back();
    }
    EXPECT_NEAR(average, memory / SumOf(runs), 1e-6);
    for (size_t from = 0; from < runs.size(); ++from) {
      for (size_t to = 0; to < runs.size(); ++to) {
        const double more = 0.01 * runs[from] / runs[to];
        if (from == to || best[from] - 0.01 < kMinBitsOfRun ||
            best[to] + more > kMaxBitsOfRun) {
          continue;
        }
        const double before =
            std::exp(-best[from] * slope) + std::exp(-best[to] * slope);
        EXPECT_GE(std::exp(-(best[from] - 0.01) * slope) +
                      std::exp(-(best[to] + more) * slope),
                  before * (1 - 1e-9));
      }
    }
  }
}

TEST(AllocationTest, OnlyRelationsCountAndAJobAddsLittle) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 4000; ++i) {
    const std::vector<double> runs = RandomTree(&random).Runs();
    const auto level = static_cast<int>(1 + random() % runs.size());
    const double job = runs[level - 1] * Uniform(0.01, 1, &random);
    const double others = Uniform(6, 14, &random);
    const auto bits = [&](double times) {
      std::vector<double> scaled = runs;
      for (double& keys : scaled) keys *= times;
      const FileTotals filters = Filters(SumOf(scaled), others);
      TreeState tree = Tree({}, scaled, filters);
      return BitsForFile(Compacted(tree, level, times * job), 10);
    };
    EXPECT_NEAR(bits(1), bits(7), 1e-6);
    const double share = job / (SumOf(runs) + job);
    EXPECT_LE(std::lerp(others, bits(1), share), std::max(others, 10.0) + 0.35);
  }
}

// Each level is merged into the next when it is full. The last one begins with
// filters of another policy.
TEST(AllocationTest, AGrowingTreeStaysNearTheAverage) {
  constexpr int kLevels = 5;
  std::mt19937_64 random(4);
  for (int i = 0; i < 40; ++i) {
    const double ratio = Uniform(4, 20, &random);
    std::vector<FileTotals> levels(kLevels);
    levels.back() =
        Filters(4 * std::pow(ratio, kLevels - 1), Uniform(1, 20, &random));
    bool is_old = true;
    for (int flush = 0; flush < 5000; ++flush) {
      for (int to = 0; to < kLevels; ++to) {
        double job = Uniform(0.5, 1, &random);
        if (to > 0) {
          job = levels[to - 1].rows;
          if (job < 4 * std::pow(ratio, to - 1)) break;
          levels[to - 1] = {};
        }
        job += levels[to].rows;
        levels[to] = {};
        TreeState others;
        for (int at = 0; at < kLevels; ++at) {
          if (levels[at].rows > 0) others.Add(levels[at], at);
        }
        levels[to] = Filters(job, BitsForFile(Compacted(others, to, job), 10));
        is_old = is_old && to + 1 < kLevels;
      }
      FileTotals all;
      for (const FileTotals& level : levels) all.Add(level);
      if (is_old) continue;
      ASSERT_NEAR(10, all.bits / all.keys, 1) << ratio;
    }
  }
}

}  // namespace
}  // namespace linebloom
