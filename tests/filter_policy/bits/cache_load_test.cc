#include "filter_policy/bits/cache_load.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "filter_policy/bits/rocksdb_cache.h"
#include "filter_policy/bits/tree_model.h"
#include "rocksdb/version.h"
#include "tests/filter_policy/tree/filtered_files.h"

namespace linebloom {
namespace {

using read_model::Pinned;

TEST(CacheOfTest, ReadsTheCache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(64 << 20, 3, false, 0.25);
  table.metadata_block_size = 8192;
  read_model::Cache cache = CacheOf(table);
  EXPECT_EQ(64 << 20, cache.capacity);
  EXPECT_EQ(8, cache.shards);
  EXPECT_EQ(0.25, cache.high_priority_share);
  EXPECT_EQ(HUGE_VAL, cache.slots);
  EXPECT_NEAR(0.9 * 8192, cache.metadata_block_bytes, 1);
  EXPECT_FALSE(cache.partitioned);
  table.block_cache->SetCapacity(0);
  EXPECT_EQ(0, CacheOf(table).capacity);
  table.block_cache =
      rocksdb::HyperClockCacheOptions(32 << 20, 4096, 2).MakeSharedCache();
  cache = CacheOf(table);
  EXPECT_EQ(32 << 20, cache.capacity);
  EXPECT_EQ(4, cache.shards);
  // 32 MB of 4 KB take 8192 slots at a load of at most 0.7: 16,384.
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 708
  EXPECT_NEAR(0.84 * 16'384, cache.slots, 1);
#endif
}

TEST(CacheOfTest, KnowsWhatIsPinned) {
  rocksdb::BlockBasedTableOptions table;
  EXPECT_EQ(Pinned::kNothing, CacheUseOf(table).pinned);
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  EXPECT_EQ(Pinned::kLevel0, CacheUseOf(table).pinned);
  table.metadata_cache_options.unpartitioned_pinning =
      rocksdb::PinningTier::kNone;
  EXPECT_EQ(Pinned::kNothing, CacheUseOf(table).pinned);
  table.metadata_cache_options.unpartitioned_pinning =
      rocksdb::PinningTier::kAll;
  EXPECT_EQ(Pinned::kAll, CacheUseOf(table).pinned);
  table.partition_filters = true;  // means nothing without the index
  EXPECT_EQ(Pinned::kAll, CacheUseOf(table).pinned);
  EXPECT_FALSE(CacheUseOf(table).partitioned);
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  EXPECT_EQ(Pinned::kLevel0, CacheUseOf(table).pinned);
  EXPECT_TRUE(CacheUseOf(table).partitioned);
  table.metadata_cache_options.partition_pinning =
      rocksdb::PinningTier::kFlushedAndSimilar;
  table.pin_l0_filter_and_index_blocks_in_cache = false;
  EXPECT_EQ(Pinned::kLevel0, CacheUseOf(table).pinned);
}

// What is pinned beside the trees' own.
TEST(CacheLoadTest, LeavesOthersTheirPart) {
  CacheLoad load;
  load.cache.capacity = 2e6;
  load.totals = {.bits = 8e6, .files = 24, .index_bytes = 1e6};
  load.level0 = {.bits = 8e4, .index_bytes = 1e5};
  EXPECT_EQ(0, load.others());
  load.pinned_bytes = 0.5e6;  // half of the files are of running compactions
  EXPECT_EQ(0, load.others());
  load.pinned_bytes = 1e6;
  EXPECT_EQ(0.5e6, load.others());
  load.cache.pinned = Pinned::kLevel0;
  EXPECT_NEAR(0.5e6 - 1e4 - 1e5, load.others(), 1);
  load.cache.pinned = Pinned::kAll;
  load.pinned_bytes = 3e6;  // half of them twice, the old and the new ones
  EXPECT_EQ(0, load.others());
  load.pinned_bytes = 3.5e6;
  EXPECT_EQ(0.5e6, load.others());
  load.pinned_bytes = 1e9;
  EXPECT_EQ(2e6, load.others());
  load.cache.partitioned = true;
  load.totals.data_blocks = 5e4;
  load.pinned_bytes = 3e6 + 24 * 2 * (200 + 2 * 20);
  EXPECT_NEAR(0, load.others(), 1);
  load.pinned_bytes += 1e5;
  EXPECT_NEAR(1e5, load.others(), 1);
  load.pinned_bytes = 0;
  load.cache.slots = 840;
  EXPECT_NEAR(64'000, load.others(), 1);
}

class LoadOfTest : public testing::Test {
 protected:
  LoadOfTest() { table_.block_cache = rocksdb::NewLRUCache(1 << 20); }

  // A family of one file whose lookups are of `source`.
  void AddFamily(double rows, size_t source) {
    auto tree = std::make_shared<TreeState>();
    tree->Add({.rows = rows, .keys = rows, .bits = 10 * rows, .files = 1}, 6);
    users_.families.push_back({tree, source});
    users_.sources.resize(std::max(users_.sources.size(), source + 1));
  }

  void LookUp(size_t source, double rate, double hit_share) {
    users_.sources[source] = {.hits = {hit_share, hit_share}, .rate = rate};
  }

  CacheLoad Load() const {
    CacheLoad load = LoadOf(users_, table_);
    AddRuns(users_, &load);
    return load;
  }

  CacheUsers users_;
  rocksdb::BlockBasedTableOptions table_;
};

TEST_F(LoadOfTest, SumsWhatSharesTheCache) {
  AddFamily(1000, 0);
  AddFamily(3000, 1);
  users_.families[1].line = LineKind::kPlain;
  const CacheLoad load = Load();
  EXPECT_EQ(LineKind::kSolved, load.trees[0].line);
  EXPECT_EQ(LineKind::kPlain, load.trees[1].line);
  EXPECT_EQ(4000, load.totals.rows);
  EXPECT_EQ(2, load.totals.files);
  EXPECT_EQ(1 << 20, load.cache.capacity);
  ASSERT_EQ(2u, load.trees.size());
  EXPECT_EQ(3, load.trees[1].lookups / load.trees[0].lookups);
  EXPECT_FALSE(load.sampled);
  users_.sources[0].is_sample = true;
  EXPECT_TRUE(Load().sampled);
  // Nothing was counted yet.
  EXPECT_EQ(0, load.hits.least);
  EXPECT_EQ(1, load.hits.most);
}

// For want of room, not for the first time.
TEST_F(LoadOfTest, CountsFiltersThatAreReadAgain) {
  AddFamily(1000, 0);
  users_.sources[0].filters_read = 0.5;
  EXPECT_EQ(0, Load().filters_read);
  table_.block_cache->SetCapacity(0);  // full, at once
  EXPECT_EQ(0.5, Load().filters_read);
  table_.partition_filters = true;
  table_.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  EXPECT_EQ(0, Load().filters_read);
}

// Two databases: the one that is looked up counts, however small it is.
TEST_F(LoadOfTest, WeighsSourcesByTheirLookups) {
  AddFamily(1000, 0);
  AddFamily(9000, 1);
  AddFamily(1000, 1);
  LookUp(0, 9000, 0.9);
  LookUp(1, 1000, 0.1);
  users_.sources[1].scanned_blocks_per_lookup = 5;
  const CacheLoad load = Load();
  EXPECT_NEAR(0.82, load.hits.least, 0.03);
  EXPECT_NEAR(0.82, load.hits.most, 0.03);
  EXPECT_NEAR(0.5, load.scanned_blocks_per_lookup, 1e-6);
  EXPECT_NEAR(10, load.trees[0].lookups / load.trees[1].lookups, 0.5);
  EXPECT_NEAR(9, load.trees[1].lookups / load.trees[2].lookups, 1e-6);
}

// A database that has just been opened: looked up as often as the other, by
// rows, and nobody knows what hits.
TEST_F(LoadOfTest, SourcesWithoutARate) {
  AddFamily(3000, 0);
  AddFamily(1000, 1);
  LookUp(0, 3000, 0);
  const CacheLoad load = Load();
  EXPECT_NEAR(0.25, load.hits.most, 0.001);
  EXPECT_NEAR(3, load.trees[0].lookups / load.trees[1].lookups, 1e-6);
}

// A thousand column families of unlike sizes and lookups are as their mean.
TEST_F(LoadOfTest, ManyFamiliesAreFewTrees) {
  std::mt19937_64 random(1);
  double rows = 0;
  for (int i = 0; i < 1000; ++i) {
    const double scale = 0.1 + static_cast<double>(random() % 1000) / 1000;
    AddFamily(0, i % 30);
    users_.families.back().tree = std::make_shared<const TreeState>(
        TreeOf({{FilteredFile(500 * scale), i % 4 == 0 ? 0 : 4},
                {FilteredFile(5000 * scale), 5},
                {FilteredFile(50'000 * scale), 6}}));
    rows += 55'500 * scale;
  }
  for (int source = 0; source < 30; ++source) LookUp(source, 1 + source, 0);
  const CacheLoad load = Load();
  EXPECT_LE(load.trees.size(), 16u);
  std::vector<read_model::Tree> trees = LoadOf(users_, table_).trees;
  double lookups = 0;
  for (size_t i = 0; i < trees.size(); ++i) {
    lookups += trees[i].lookups;
    trees[i].runs = ModelOf(*users_.families[i].tree).runs;
  }
  double merged_rows = 0;
  for (const read_model::Tree& tree : load.trees) {
    lookups -= tree.lookups;
    for (const read_model::Run& run : tree.runs) merged_rows += run.rows;
  }
  EXPECT_NEAR(0, lookups, 1e-6);
  EXPECT_NEAR(1, merged_rows / rows, 1e-9);
  for (const double bits : {4.0, 7.0, 10.0}) {
    for (const double hits : {0.0, 0.2}) {
      const auto reads = [&](const std::vector<read_model::Tree>& of) {
        return read_model::ReadsPerLookup(read_model::Renewed(of),
                                          {.capacity = 1.2 * rows},
                                          {.hit_share = hits}, {bits})
            .all();
      };
      EXPECT_NEAR(1, reads(load.trees) / reads(trees), 0.2)
          << bits << " bits, hits " << hits;
    }
  }
}

}  // namespace
}  // namespace linebloom
