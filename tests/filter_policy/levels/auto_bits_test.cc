#include "filter_policy/levels/auto_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "filter_policy/levels/rocksdb_cache.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/statistics.h"
#include "rocksdb/version.h"
#include "tests/temporary_folder.h"

namespace linebloom {
namespace {

using rocksdb::Statistics;

read_model::Run RunOf(double rows) {
  return {.files = {{.count = 1 + rows / 50'000,
                     .rows = rows,
                     .filter_keys = rows,
                     .index_bytes = rows / 2,
                     .data_blocks = rows / 50,
                     .data_bytes = rows * 80}}};
}

// A tree of 1.11 million keys, whose filters take 1.39 MB with 10 bits.
CacheLoad LoadOf(double cache_bytes, double hits) {
  CacheLoad load;
  load.cache.capacity = cache_bytes;
  load.trees = {{.runs = {RunOf(1e4), RunOf(1e5), RunOf(1e6)}}};
  load.totals = {.rows = 1.11e6, .keys = 1.11e6, .bits = 10 * 1.11e6};
  load.lookups = {.all = 10'000, .hits = hits * 10'000};
  return load;
}

TEST(SteadyChoiceTest, GoesUpInStepsAndDownAtOnce) {
  SteadyChoice choice;
  const double few = choice.Next(LoadOf(1e6, 0)).average_bits;
  const double many = SteadyChoice().Next(LoadOf(3e6, 0)).average_bits;
  ASSERT_GE(many, few + 3);
  double bits = few;
  for (int i = 0; i < 40; ++i) {
    const double next = choice.Next(LoadOf(3e6, 0)).average_bits;
    EXPECT_TRUE(next == bits || next == bits + 0.5) << next;
    bits = next;
  }
  EXPECT_NEAR(many, bits, 0.5);
  EXPECT_EQ(few, choice.Next(LoadOf(1e6, 0)).average_bits);
  EXPECT_EQ(few + 0.25, choice.Next(LoadOf(3e6, 0)).average_bits);
  EXPECT_EQ(few + 0.75, choice.Next(LoadOf(3e6, 0)).average_bits);
}

TEST(SteadyChoiceTest, KeepsWhatItHasNearTheBest) {
  SteadyChoice choice;
  const double bits = choice.Next(LoadOf(2e6, 0.1)).average_bits;
  const double fewer = choice.Next(LoadOf(1.98e6, 0.1)).average_bits;
  EXPECT_EQ(bits - 0.25, fewer);
  for (const double bytes : {2.02e6, 1.99e6, 2.01e6, 1.98e6}) {
    EXPECT_EQ(fewer, choice.Next(LoadOf(bytes, 0.1)).average_bits) << bytes;
  }
}

TEST(SteadyChoiceTest, AssumesHitsUntilTheyAreCounted) {
  SteadyChoice choice;
  CacheLoad load = LoadOf(2e6, 0.5);
  load.lookups.all = load.lookups.hits = 0;
  load.totals = {};  // no filters yet
  AutoBits bits = choice.Next(load);
  EXPECT_FALSE(bits.counted);
  EXPECT_EQ(0.03, bits.hit_share);
  bits = choice.Next(LoadOf(2e6, 0.5));
  EXPECT_TRUE(bits.counted);
  EXPECT_NEAR(0.5, bits.hit_share, 0.001);
  // Too few lookups to tell otherwise.
  load = LoadOf(2e6, 0);
  load.lookups.all = 999;
  bits = choice.Next(load);
  EXPECT_TRUE(bits.counted);
  EXPECT_NEAR(0.5, bits.hit_share, 0.001);
  load.lookups.all = 1000;
  EXPECT_NEAR(0, choice.Next(load).hit_share, 0.001);
}

// With the share of hits that explains the bits.
TEST(SteadyChoiceTest, ARestartBeginsWhereTheLastFilesEnded) {
  for (const double hits : {0.0, 0.01, 0.1, 0.5}) {
    const double before = SteadyChoice().Next(LoadOf(2e6, hits)).average_bits;
    CacheLoad load = LoadOf(2e6, 0);
    load.lookups = {};
    load.totals.bits = before * load.totals.keys;
    EXPECT_NEAR(before, SteadyChoice().Next(load).average_bits, 0.75) << hits;
  }
}

TEST(SteadyChoiceTest, NoFilterInTheLastRunOnlyIfHitsAreCounted) {
  CacheLoad load = LoadOf(4e5, 1);
  EXPECT_FALSE(SteadyChoice().Next(load).filters_last_run);
  // Once it has none, a sample doesn't see what it would have answered.
  load.sampled = true;
  EXPECT_TRUE(SteadyChoice().Next(load).filters_last_run);
  load.sampled = false;
  load.lookups = {};
  EXPECT_TRUE(SteadyChoice().Next(load).filters_last_run);
  // Nor if old bits say that many lookups hit.
  load.totals.bits = 2 * load.totals.keys;
  const AutoBits assumed = SteadyChoice().Next(load);
  EXPECT_EQ(0.6, assumed.hit_share);
  EXPECT_TRUE(assumed.filters_last_run);
  EXPECT_TRUE(SteadyChoice().Next(LoadOf(4e5, 0.2)).filters_last_run);
}

// Nobody can say what is best then.
TEST(SteadyChoiceTest, WhereTheAnswerIsFlat) {
  EXPECT_EQ(10, SteadyChoice().Next(LoadOf(1e12, 0.1)).average_bits);
  for (const double bytes : {0.0, 1.0, 1000.0}) {
    const double bits = SteadyChoice().Next(LoadOf(bytes, 0.1)).average_bits;
    EXPECT_GE(bits, 1) << bytes;
    EXPECT_LE(bits, 16) << bytes;
  }
}

// What iterators pin for a moment doesn't count.
TEST(SteadyChoiceTest, LeavesOthersTheirPartOfTheCache) {
  CacheLoad load = LoadOf(2e6, 0);
  SteadyChoice choice;
  EXPECT_EQ(2e6, choice.Next(load).cache_bytes);
  load.pinned_bytes = 1e6;
  EXPECT_EQ(2e6, choice.Next(load).cache_bytes);
  EXPECT_EQ(1e6, choice.Next(load).cache_bytes);
  load.pinned_bytes = 0;
  EXPECT_EQ(2e6, choice.Next(load).cache_bytes);
  // More than all blocks of the trees.
  load.totals.data_bytes = load.totals.index_bytes = load.totals.bits = 0;
  load.used_bytes = 1.5e6;
  choice.Next(load);
  EXPECT_EQ(0.5e6, choice.Next(load).cache_bytes);
  // Its own pinned blocks.
  load = LoadOf(2e6, 0);
  load.cache.pin_level0 = true;
  load.level0.index_bytes = load.pinned_bytes = 1e6;
  load.totals.files = 24;
  load.totals.index_bytes = 1e6;
  load.pinned_bytes += 0.5e6;  // by a compaction
  choice.Next(load);
  EXPECT_EQ(2e6, choice.Next(load).cache_bytes);
}

TEST(CacheOfTest, ReadsTheCache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(64 << 20, 3, false, 0.25);
  table.metadata_block_size = 8192;
  read_model::Cache cache = CacheOf(table);
  EXPECT_EQ(64 << 20, cache.capacity);
  EXPECT_EQ(8, cache.shards);
  EXPECT_EQ(0.25, cache.high_priority_share);
  EXPECT_EQ(HUGE_VAL, cache.slots);
  EXPECT_EQ(8192, cache.metadata_block_bytes);
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

TEST(LookupWindowTest, ForgetsAndTakesNoResetForAChange) {
  LookupWindow window;
  window.Sample({.all = 20'000, .hits = 20'000});
  window.Sample({.all = 30'000, .hits = 20'000});
  EXPECT_NEAR(12'000, window.recent().all, 1);
  EXPECT_NEAR(2'000, window.recent().hits, 1);
  window.Sample({.all = 30'000, .hits = 20'000});  // nothing new
  EXPECT_NEAR(12'000, window.recent().all, 1);
  window.Sample({.all = 29'990, .hits = 20'000});  // read at different times
  EXPECT_NEAR(12'000, window.recent().all, 1);
  window.Sample({.all = 5'000, .hits = 2'500});  // reset
  EXPECT_NEAR(12'000 * 0.316 + 5'000, window.recent().all, 10);
  EXPECT_NEAR(2'000 * 0.316 + 2'500, window.recent().hits, 10);
}

TEST(LookupsOfTest, ReadsTheTickers) {
  const std::shared_ptr<Statistics> statistics = rocksdb::CreateDBStatistics();
  for (const auto& [ticker, count] :
       {std::pair(rocksdb::MEMTABLE_MISS, 1000),
        {rocksdb::MEMTABLE_HIT, 50},
        {rocksdb::NUMBER_KEYS_READ, 1050},
        {rocksdb::ROW_CACHE_HIT, 100},
        {rocksdb::GET_HIT_L0, 100},
        {rocksdb::GET_HIT_L1, 200},
        {rocksdb::GET_HIT_L2_AND_UP, 100},
        {rocksdb::BLOOM_FILTER_FULL_POSITIVE, 250},
        {rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE, 220},
        {rocksdb::BLOCK_CACHE_DATA_HIT, 400},
        {rocksdb::BLOCK_CACHE_DATA_MISS, 7000},  // of compactions, mostly
        {rocksdb::BLOCK_CACHE_DATA_ADD, 100}}) {
    statistics->recordTick(ticker, count);
  }
  const Lookups lookups = LookupsOf(*statistics);
  EXPECT_EQ(900, lookups.all);
  EXPECT_EQ(300, lookups.hits);
  EXPECT_EQ(500 - 300 - 30, lookups.other_data_blocks());
  // Lookups of deleted keys.
  statistics->recordTick(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE, 280);
  EXPECT_EQ(500, LookupsOf(*statistics).hits);
  statistics->set_stats_level(rocksdb::StatsLevel::kDisableAll);
  EXPECT_EQ(0, LookupsOf(*statistics).all);
}

// All ways to look up, where the memtable answers some.
TEST(LookupsOfTest, OfADatabase) {
  const TemporaryFolder folder;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.statistics = rocksdb::CreateDBStatistics();
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, folder.File("db"), &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  const auto key = [](int row) { return std::to_string(10'000 + row); };
  const auto put = [&](int begin, int end) {
    for (int row = begin; row < end; row += 2) {
      ASSERT_TRUE(db->Put({}, key(row), "value").ok());
    }
  };
  put(0, 2000);
  ASSERT_TRUE(db->Flush({}).ok());
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  put(2000, 3000);
  ASSERT_TRUE(db->Delete({}, key(0)).ok());
  ASSERT_TRUE(db->Flush({}).ok());
  put(3000, 3200);
  Lookups before;
  const auto expect = [&](double all, double hits) {
    const Lookups now = LookupsOf(*options.statistics);
    EXPECT_EQ(all, now.all - before.all);
    EXPECT_EQ(hits, now.hits - before.hits);
    before = now;
  };
  std::vector<std::string> keys;
  for (int row = 1000; row < 3200; ++row) keys.push_back(key(row));
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::string value;
  for (const std::string& k : keys) (void)db->Get({}, k, &value);
  expect(2100, 1000);
  std::vector<std::string> values;
  db->MultiGet({}, slices, &values);
  expect(2100, 1000);
  std::vector<rocksdb::PinnableSlice> pinned(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  db->MultiGet({}, db->DefaultColumnFamily(), keys.size(), slices.data(),
               pinned.data(), statuses.data());
  expect(2100, 1000);
  (void)db->Get({}, key(0), &value);  // deleted
  expect(1, 1);
}

}  // namespace
}  // namespace linebloom
