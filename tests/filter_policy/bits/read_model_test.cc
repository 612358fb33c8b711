#include "filter_policy/bits/read_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "filter_policy/filter/sizing.h"

namespace linebloom::read_model {
namespace {

// Rows of 35 to a block of 4 KB, and indexes of 27 bytes for each block.
Run Alike(double count, double rows) {
  const double blocks = std::ceil(rows / 35);
  return {.count = count,
          .rows = rows,
          .filter_keys = rows,
          .index_bytes = 27 * blocks,
          .data_blocks = blocks,
          .data_bytes = 4096 * blocks};
}

Tree TreeOf(const std::vector<double>& rows_of_runs) {
  Tree tree;
  for (const double rows : rows_of_runs) {
    tree.runs.push_back(Alike(std::ceil(rows / 60'000), rows));
  }
  return tree;
}

// The tree in which `linebloom compare --memory` measured reads: 2M rows in six
// runs and 36 files, with indexes of 1.56 MB.
Tree MeasuredTree() {
  const auto run = [](double count, double rows, double index_bytes,
                      double blocks) {
    return Run{count, rows, rows, index_bytes, blocks, 4096 * blocks};
  };
  return {{run(1, 4474, 3088, 128), run(1, 4474, 3089, 128),
           run(1, 4474, 3088, 128), run(1, 17'896, 12'837, 512),
           run(3, 178'972, 135'272, 5115),
           run(29, 1'789'710, 1'404'564, 51'156)}};
}

double ReadsOf(const Tree& tree, double capacity, double hit_share,
               const Choice& choice, Cache cache = {}) {
  cache.capacity = capacity;
  return ReadsPerLookup({tree}, cache, {.hit_share = hit_share}, choice).all();
}

// Reads per lookup of 40,000 to 60,000 lookups in that tree, direct I/O, one
// shard, high_pri_pool_ratio 0.5, the same bits in all files. With more shards,
// of missing rows from RocksDB's LRUCache, with the filters of
// `linebloom:BITS` by level: the mean over four placements of the blocks.
TEST(ReadModelTest, ExpectsWhatWasMeasured) {
  struct Cell {
    double capacity;
    double shards;
    double hit_share;
    std::map<double, double> reads;  // by bits per key
    LineKind line = LineKind::kSolved;
  };
  const std::vector<Cell> cells = {
      {1e6, 1, 0, {{10, 0.790}}, LineKind::kPlain},
      {2e6, 1, 0, {{10, 0.341}}, LineKind::kPlain},
      {4e6, 1, 0, {{10, 0.0556}}, LineKind::kPlain},
      {1e6, 1, 0, {{3, 1.205575}, {6, 0.5875}, {10, 0.711075}, {16, 1.020225}}},
      {2e6, 1, 0, {{3, 0.817625}, {7, 0.0703}, {10, 0.2533}, {16, 0.588025}}},
      {4e6, 1, 0, {{3, 0.59035}, {6, 0.090075}, {9, 0.01505}}},
      {2e6, 1, 0.03, {{3, 0.85535}, {7, 0.1518}, {10, 0.34695}, {16, 0.64495}}},
      {1e6, 1, 0.2, {{3, 1.6161}, {7, 1.04605}, {10, 1.14535}, {16, 1.41305}}},
      {3e6, 1, 0.2, {{3, 0.9023}, {7, 0.32305}, {10, 0.41965}, {16, 0.7318}}},
      {6e6, 1, 0.2, {{3, 0.62275}, {7, 0.2426}, {10, 0.20785}, {16, 0.20715}}},
      {1.5e6, 4, 0, {{3, 0.4296}, {5, 0.237}, {7, 0.321}, {10, 0.5594}}},
      {1.5e6, 8, 0, {{3, 0.4789}, {5, 0.326}, {7, 0.5001}, {10, 0.9251}}},
      {2.5e6, 4, 0, {{3, 0.2473}, {5, 0.0852}, {10, 0.1687}, {13, 0.3637}}},
      {2.5e6, 8, 0, {{3, 0.2705}, {5, 0.095}, {10, 0.2817}, {13, 0.5415}}}};
  for (const Cell& cell : cells) {
    Tree tree = MeasuredTree();
    tree.line = cell.line;
    for (const auto& [bits, measured] : cell.reads) {
      const bool sharded = cell.shards > 1;
      const double expected = ReadsOf(
          tree, cell.capacity, cell.hit_share,
          {.average_bits = bits, .by_level = sharded}, {.shards = cell.shards});
      EXPECT_NEAR(expected / measured, 1, sharded ? 0.15 : 0.1)
          << cell.capacity << " bytes, " << cell.shards << " shards, hits "
          << cell.hit_share << ", " << bits << " bits: " << expected;
    }
  }
}

// The even bits that read least there, for caches of 1, 1.5, 2, 3, 4 and 6 MB.
// With levels a little fewer are best. The true best are 6 6 7 11 15 16, 6 6 7
// 10 11 15 and 7 6 6 7 8 14.
TEST(ReadModelTest, ChoosesWhatReadsLeast) {
  const std::map<double, std::vector<double>> best = {
      {0, {5, 5, 7, 11, 15, 16}},
      {0.03, {5, 5, 6, 9, 9, 12}},
      {0.2, {5, 4, 5, 6, 7, 10}}};
  const std::vector<double> capacities = {1e6, 1.5e6, 2e6, 3e6, 4e6, 6e6};
  for (const auto& [hit_share, bits] : best) {
    for (size_t i = 0; i < capacities.size(); ++i) {
      const Choice choice =
          BestChoice({MeasuredTree()}, {.capacity = capacities[i]},
                     {{.hit_share = hit_share}});
      EXPECT_NEAR(choice.average_bits, bits[i], 0.75)
          << capacities[i] << " bytes, hits " << hit_share;
      EXPECT_TRUE(choice.by_level);
    }
  }
}

TEST(ReadModelTest, CountsWhatLookupsNeedWithoutACache) {
  const Tree tree = TreeOf({1000, 9000});
  const Choice ten = {.average_bits = 10, .by_level = false};
  const double rate = ExpectedRate(LineKind::kSolved, 10'000, 51.2);
  const Reads missing = ReadsPerLookup({tree}, {}, {}, ten);
  EXPECT_NEAR(missing.filter, 2, 1e-9);
  EXPECT_NEAR(missing.index, 2 * rate, 1e-9);
  EXPECT_NEAR(missing.data, 2 * rate, 1e-9);
  EXPECT_NEAR(missing.filter_bytes, 12'500, 150);
  // A tenth of the rows is in the upper run.
  const Reads present = ReadsPerLookup({tree}, {}, {.hit_share = 1}, ten);
  EXPECT_NEAR(present.filter, 1.9, 1e-9);
  EXPECT_NEAR(present.data, 1 + 0.9 * rate, 1e-9);
  const Load scans = {.hit_share = 1, .scanned_blocks_per_lookup = 2};
  EXPECT_NEAR(ReadsPerLookup({tree}, {}, scans, ten).data, 3 + 0.9 * rate,
              1e-9);
  Tree without = tree;
  for (auto& run : without.runs) run.kept = Filters{};
  EXPECT_NEAR(ReadsPerLookup({without}, {}, {}, ten).data, 2, 1e-9);
  EXPECT_EQ(ReadsPerLookup({without}, {}, {}, ten).filter, 0);
  EXPECT_EQ(ReadsPerLookup({without}, {}, {}, ten).filter_bytes, 0);
}

// Without a pool of high priority, as in db_bench, the data blocks that hits
// read push out filters.
TEST(ReadModelTest, ReadsMoreWithoutAPoolOfHighPriority) {
  const Tree tree = MeasuredTree();
  const Choice four = {.average_bits = 4};
  const double pool = ReadsOf(tree, 2.5e6, 0.5, four);
  const double none =
      ReadsOf(tree, 2.5e6, 0.5, four, {.high_priority_share = 0});
  EXPECT_GT(none, 1.02 * pool);
  EXPECT_EQ(
      ReadsOf(tree, 2.5e6, 0.5, four,
              {.high_priority_share = 0, .high_priority_metadata = false}),
      none);
}

TEST(ReadModelTest, TenBitsIfEverythingFits) {
  const Tree tree = MeasuredTree();
  for (const double hit_share : {0.0, 0.5, 1.0}) {
    const Choice choice =
        BestChoice({tree}, {.capacity = 1e9}, {{.hit_share = hit_share}});
    EXPECT_EQ(choice.average_bits, 10);
    EXPECT_EQ(ReadsOf(tree, 1e9, hit_share, choice), 0);
  }
}

// A filter larger than a shard is read for each lookup, however many bits it
// has.
TEST(ReadModelTest, ManyBitsIfFiltersNeverFit) {
  const Tree tree = {{Alike(1, 10'000'000)}};
  EXPECT_GT(BestChoice({tree}, {.capacity = 1e6}, {{}}).average_bits, 10);
}

TEST(ReadModelTest, TenBitsForNothing) {
  for (const std::vector<Tree>& trees :
       {std::vector<Tree>{}, {Tree{}}, {TreeOf({0, 0})}}) {
    const Choice choice = BestChoice(trees, {.capacity = 1e6}, {{}});
    EXPECT_EQ(choice.average_bits, 10);
    EXPECT_EQ(ReadsPerLookup(trees, {.capacity = 1e6}, {}, choice).all(), 0);
  }
  EXPECT_GT(ReadsPerLookup({TreeOf({1})}, {}, {}, {}).all(), 1);
}

TEST(ReadModelTest, NumbersWhateverIsMissing) {
  Tree tree = TreeOf({1, 1e5, 1e15});
  tree.runs[0].index_bytes = 0;
  tree.runs[1].data_blocks = tree.runs[1].data_bytes = 0;
  tree.runs[1].kept = Filters{0, 0.5};
  tree.runs.push_back({.covered = 0});
  for (const double capacity : {0.0, 1e3, 1e6, 1e15}) {
    for (const Pinned pinned :
         {Pinned::kNothing, Pinned::kLevel0, Pinned::kAll}) {
      const Cache cache = {
          .capacity = capacity, .shards = 64, .pinned = pinned};
      const Choice best = BestChoice({tree}, cache, {{0.5}, {}});
      EXPECT_GE(best.average_bits, 1);
      EXPECT_LE(best.average_bits, 16);
      const double reads = ReadsPerLookup({tree}, cache, {0.5}, best).all();
      EXPECT_TRUE(reads >= 0 && reads < 10) << capacity << ": " << reads;
    }
  }
}

TEST(ReadModelTest, TreesInOneCacheAreOneSum) {
  const Tree tree = MeasuredTree();
  const Choice seven = {.average_bits = 7};
  // Twice the tree in twice the cache, each with half the lookups.
  EXPECT_NEAR(ReadsPerLookup({tree, tree}, {.capacity = 4e6}, {}, seven).all(),
              ReadsOf(tree, 2e6, 0, seven), 0.003);
  // One that isn't requested doesn't count.
  Tree busy = tree;
  busy.lookups = 5;
  EXPECT_NEAR(ReadsPerLookup({busy, tree}, {.capacity = 2e6}, {}, seven).all(),
              ReadsOf(tree, 2e6, 0, seven), 1e-6);
}

TEST(ReadModelTest, FilesKeepTheirFilters) {
  Tree tree = MeasuredTree();
  read_model::Run& last = tree.runs.back();
  last.kept = Filters{16 * last.filter_keys / 8, 1e-5};
  const double kept = last.kept->bytes;
  const Reads reads = ReadsPerLookup({tree}, {.capacity = 3e6}, {},
                                     {.average_bits = 6, .by_level = false});
  EXPECT_NEAR(reads.filter_bytes, kept + 6 * 210'290 / 8.0, 2000);
  // There is no room for more, and the others have a small part.
  EXPECT_GT(reads.all(), 2 * ReadsOf(MeasuredTree(), 3e6, 0,
                                     {.average_bits = 6, .by_level = false}));
}

TEST(ReadModelTest, FiltersOutsideTheCacheAreNeverRead) {
  const Reads reads = ReadsPerLookup(
      {MeasuredTree()}, {.capacity = 1e6, .holds_metadata = false}, {}, {});
  EXPECT_EQ(reads.filter + reads.index, 0);
  EXPECT_NEAR(reads.data, 0.0025, 0.002);
  EXPECT_GT(reads.filter_bytes, 2e6);
}

// One over the partitions of filters, one over those of indexes: here they take
// the cache, and leave half of it if there are no filters.
TEST(ReadModelTest, PinsTwoIndexesOverPartitions) {
  Tree tree = {{Alike(10'000, 10'000)}};
  const Cache cache = {.capacity = 4e6, .partitioned = true};
  const Reads reads = ReadsPerLookup({tree}, cache, {}, {});
  EXPECT_NEAR(reads.filter, 1, 1e-6);
  // Each partition takes 50 bytes more.
  const double whole = ReadsPerLookup({tree}, {}, {}, {}).filter_bytes;
  EXPECT_NEAR(reads.filter_bytes, whole + 500'000, 1);
  tree.runs[0].kept = Filters{};
  const Reads without = ReadsPerLookup({tree}, cache, {}, {});
  EXPECT_LT(without.index, 0.9);
  EXPECT_EQ(without.filter_bytes, 0);
}

// Measured beside a HyperClockCache with 256 slots, in a tree of 49 files whose
// partitions have 2.8 KB on average: the blocks of 10 bits fit its bytes.
TEST(ReadModelTest, ACacheMayRunOutOfSlots) {
  const auto run = [](double count, double rows) {
    return read_model::Run{count,       rows,      rows,
                           rows * 0.27, rows / 41, rows * 100};
  };
  const Tree tree = {{run(1, 4474), run(1, 4474), run(1, 4474), run(3, 13'700),
                      run(4, 22'000), run(39, 249'000)}};
  Cache cache = {.capacity = 665'912, .partitioned = true};
  const auto reads_of = [&](double bits) {
    return ReadsPerLookup({tree}, cache, {}, {bits}).all();
  };
  EXPECT_LT(reads_of(12), 0.002);
  EXPECT_GT(BestChoice({tree}, cache, {{}}).average_bits, 12);
  cache.slots = 215;
  EXPECT_NEAR(reads_of(8), 0.0131, 0.006);
  EXPECT_NEAR(reads_of(12), 0.221, 0.13);
  EXPECT_NEAR(reads_of(14), 0.328, 0.13);
  EXPECT_NEAR(BestChoice({tree}, cache, {{}}).average_bits, 7.25, 0.25);
  // Its bytes may run out first.
  cache.slots = 1e4;
  cache.capacity = 2e5;
  const double by_bytes = reads_of(8);
  cache.slots = HUGE_VAL;
  EXPECT_EQ(reads_of(8), by_bytes);
}

TEST(ReadModelTest, PinsLevel0) {
  Tree tree = MeasuredTree();
  for (int i = 0; i < 3; ++i) tree.runs[i].level0 = true;
  const Cache pinned = {.capacity = 3e5, .pinned = Pinned::kLevel0};
  EXPECT_LT(ReadsPerLookup({tree}, pinned, {}, {}).filter,
            ReadsPerLookup({tree}, {.capacity = 3e5}, {}, {}).filter);
  // What it pins takes the place of other blocks.
  const double of_small =
      ReadsOf(tree, 2e6, 0, {}, {.pinned = Pinned::kLevel0});
  tree.runs[0].index_bytes = 1e6;
  EXPECT_GT(ReadsOf(tree, 2e6, 0, {}, {.pinned = Pinned::kLevel0}),
            1.2 * of_small);
}

TEST(ReadModelTest, PinsEverything) {
  const Tree tree = MeasuredTree();
  const Cache cache = {.pinned = Pinned::kAll};
  const auto reads = [&](double capacity, double bits) {
    return ReadsOf(tree, capacity, 0, {bits}, cache);
  };
  // Filters and indexes of 10 bits take 4.1 MB.
  EXPECT_LT(reads(5e6, 10), 0.01);
  EXPECT_GT(reads(2.5e6, 10), 1);
  EXPECT_LT(reads(2.5e6, 3), 1);
  Cache used = cache;
  used.capacity = 5e6;
  const double bits = BestChoice({tree}, used, {{}}).average_bits;
  EXPECT_GT(bits, 10);
  const Reads best = ReadsPerLookup({tree}, used, {}, {bits});
  EXPECT_LT(best.filter_bytes + best.index_bytes, kUsedShare * 5e6);
}

// Of one share the choice that reads least; of several, one that is never far
// from the best of any.
TEST(ReadModelTest, LeastRegret) {
  const Tree tree = MeasuredTree();
  for (const double capacity : {1e6, 2e6, 3e6, 4e6}) {
    const Cache cache = {.capacity = capacity};
    const auto best = [&](const std::vector<Load>& loads) {
      return BestChoice({tree}, cache, loads).average_bits;
    };
    const auto reads = [&](double hits, double bits) {
      return ReadsOf(tree, kUsedShare * capacity, hits, {bits}) + 0.0005;
    };
    const double unknown = best(LoadsBetween(0, 1, 0));
    double worst_of_unknown = 0;
    double worst_of_none = 0;
    for (const double hits : {0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0}) {
      const double right = reads(hits, best({{.hit_share = hits}}));
      EXPECT_LE(right, 1.01 * reads(hits, unknown)) << capacity << " " << hits;
      worst_of_unknown =
          std::max(worst_of_unknown, reads(hits, unknown) / right);
      worst_of_none = std::max(worst_of_none,
                               reads(hits, best({{.hit_share = 1}})) / right);
    }
    EXPECT_LT(worst_of_unknown, 2.7) << capacity;
    EXPECT_LT(worst_of_unknown, 0.7 * worst_of_none) << capacity;
  }
}

TEST(LoadsBetweenTest, FewSharesForWhatIsBest) {
  const auto shares = [](double least, double most) {
    std::vector<double> of_loads;
    for (const Load& load : LoadsBetween(least, most, 0.5)) {
      EXPECT_EQ(0.5, load.scanned_blocks_per_lookup);
      of_loads.push_back(load.hit_share);
    }
    return of_loads;
  };
  EXPECT_EQ(shares(0, 1),
            std::vector<double>({0, 0.003, 0.01, 0.03, 0.1, 0.3, 1}));
  EXPECT_EQ(shares(0.02, 0.6), std::vector<double>({0.02, 0.1, 0.3, 0.6}));
  EXPECT_EQ(shares(0.5, 0.52), std::vector<double>({0.51}));
  EXPECT_EQ(shares(0, 0), std::vector<double>({0}));
}

}  // namespace
}  // namespace linebloom::read_model
