#include "filter_policy/tree/lookup_load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "filter_policy/filter/sizing.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "tests/filter_policy/tree/filtered_files.h"
#include "tests/temporary_folder.h"

namespace linebloom {
namespace {

Lookups Counted(double all, double hits) {
  return {.all = all, .hits = hits, .fewest_hits = hits};
}

TEST(LookupWindowTest, ForgetsAndTakesNoResetForAChange) {
  LookupWindow window;
  window.Sample(Counted(20'000, 20'000), 0);
  window.Sample(Counted(30'000, 20'000), 1);
  EXPECT_NEAR(12'000, window.recent().all, 1);
  EXPECT_NEAR(2'000, window.recent().hits, 1);
  window.Sample(Counted(30'000, 20'000), 2);  // nothing new
  EXPECT_NEAR(12'000, window.recent().all, 1);
  window.Sample(Counted(29'990, 20'000), 3);  // read at different times
  EXPECT_NEAR(12'000, window.recent().all, 1);
  window.Sample(Counted(5'000, 2'500), 4);  // reset
  EXPECT_NEAR(12'000 * 0.316 + 5'000, window.recent().all, 10);
  EXPECT_NEAR(2'000 * 0.316 + 2'500, window.recent().hits, 10);
}

// A night's check of rows that are there, after a day of lookups that miss.
TEST(LookupWindowTest, RemembersTheLeastAndTheMostHits) {
  LookupWindow window;
  EXPECT_EQ(0, window.hits().least);
  EXPECT_EQ(1, window.hits().most);
  window.Sample(Counted(100'000, 2'000), 0);
  EXPECT_NEAR(0.02, window.hits().least, 0.001);
  EXPECT_NEAR(0.02, window.hits().most, 0.001);
  window.Sample(Counted(130'000, 32'000), 1);
  EXPECT_NEAR(0.02, window.hits().least, 0.002);
  EXPECT_GT(window.hits().most, 0.6);
  window.Sample(Counted(1'130'000, 52'000), 2);  // the next day
  EXPECT_NEAR(0.02, window.hits().least, 0.002);
  EXPECT_GT(window.hits().most, 0.6);
  // As files are written anew, the night matters less.
  window.Rewrite(0.5);
  EXPECT_NEAR(0.02 + 0.74 * 0.316, window.hits().most, 0.02);
  window.Rewrite(3);
  EXPECT_NEAR(0.02, window.hits().most, 0.005);
}

TEST(LookupWindowTest, FewLookupsSayLittle) {
  for (const double n : {1.0, 10.0, 100.0, 1000.0}) {
    LookupWindow window;
    window.Sample(Counted(n, n), 0);
    EXPECT_LE(window.hits().least, n / 300) << n;
    EXPECT_EQ(1, window.hits().most) << n;
    LookupWindow missing;
    missing.Sample(Counted(n, 0), 0);
    EXPECT_EQ(0, missing.hits().least) << n;
    EXPECT_GE(missing.hits().most, 2 / n / (1 + 3 / n)) << n;
  }
}

// Deletions are hits that may be missed, operands of merges may be counted
// twice.
TEST(LookupWindowTest, HitsMayBeFewer) {
  LookupWindow window;
  window.Sample({.all = 100'000, .hits = 90'000, .fewest_hits = 20'000}, 0);
  EXPECT_NEAR(0.2, window.hits().least, 0.01);
  EXPECT_NEAR(0.9, window.hits().most, 0.01);
}

// As often as a random lookup meets one: a turn that reads all filters is one.
TEST(LookupWindowTest, FiltersReadOneByOneOrInATurn) {
  for (const auto& [in_a_turn, gap] :
       {std::pair(1, 1), std::pair(1, 100), std::pair(100, 100)}) {
    LookupWindow window;
    AnswerSample sample;
    const auto statistics = rocksdb::CreateDBStatistics();
    sample.statistics = statistics;
    const auto look_up = [&](uint64_t lookups) {
      statistics->recordTick(rocksdb::MEMTABLE_MISS, lookups);
      window.Sample(
          {.all = 1.0 * statistics->getTickerCount(rocksdb::MEMTABLE_MISS),
           .squares_of_gaps = sample.SquaresOfGaps(false)},
          0);
      return window.filters_read();
    };
    EXPECT_EQ(0, look_up(900));  // too few
    for (int i = 0; i < 60'000; i += gap) {
      for (int j = 0; j < in_a_turn; ++j) sample.SquaresOfGaps(true);
      look_up(gap);
    }
    EXPECT_NEAR(2.0 / (gap + 1), window.filters_read(), 0.001);
    EXPECT_LT(look_up(20'000), 0.001);
  }
}

TEST(LookupWindowTest, KnowsItsRate) {
  LookupWindow window;
  EXPECT_LT(window.rate(), 0);
  window.Sample(Counted(1e6, 0), 5);  // nobody knows since when
  EXPECT_LT(window.rate(), 0);
  window.Sample(Counted(1e6 + 400, 0), 9);
  EXPECT_NEAR(100, window.rate(), 1);
  window.Sample(Counted(1e6 + 400, 0), 99);  // idle
  EXPECT_LT(window.rate(), 6);
}

TEST(LookupsOfTest, ReadsTheTickers) {
  const auto statistics = rocksdb::CreateDBStatistics();
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
  EXPECT_EQ(300, lookups.fewest_hits);
  EXPECT_EQ(500, lookups.data_blocks);
  EXPECT_EQ(300 + 30, lookups.data_blocks_of_lookups);
  // Lookups of deleted keys.
  statistics->recordTick(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE, 280);
  EXPECT_EQ(500, LookupsOf(*statistics).hits);
  EXPECT_EQ(300, LookupsOf(*statistics).fewest_hits);
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

// The probes, of which positive ones, of lookups in runs of so many rows, the
// newest first, with filters of 10 bits.
Lookups ProbesOf(const std::vector<double>& runs, double hit_share, int lookups,
                 std::mt19937* random) {
  std::discrete_distribution<size_t> run_of_row(runs.begin(), runs.end());
  std::bernoulli_distribution false_positive(0.01);
  std::bernoulli_distribution hits(hit_share);
  Lookups probes;
  for (int i = 0; i < lookups; ++i) {
    const bool hit = hits(*random);
    const size_t last = hit ? run_of_row(*random) : runs.size() - 1;
    for (size_t run = 0; run <= last; ++run) {
      ++probes.all;
      if ((hit && run == last) || false_positive(*random)) ++probes.hits;
    }
  }
  return probes;
}

TEST(ProbedTreesTest, FindTheShareThatHits) {
  ProbedTrees trees;
  trees.Add(TreeOf({{FilteredFile(1e4), 0},
                    {FilteredFile(1e4), 0},
                    {FilteredFile(1e5), 2},
                    {FilteredFile(1e6), 3}}));
  trees.Add(TreeOf({{FilteredFile(2e5), 0}, {FilteredFile(8e5), 6}}));
  std::mt19937 random(1);
  for (const double share : {0.0, 0.03, 0.5, 1.0}) {
    Lookups probes = ProbesOf({1e4, 1e4, 1e5, 1e6}, share, 112'000, &random);
    probes.Add(ProbesOf({2e5, 8e5}, share, 100'000, &random));
    const Lookups lookups = trees.Behind(probes.all, probes.hits);
    EXPECT_NEAR(1, lookups.all / 212'000, 0.02) << share;
    EXPECT_NEAR(share, lookups.hits / lookups.all, 0.01) << share;
    const double share_seen = lookups.hits / lookups.all;
    const HitRange hits = trees.Hits(lookups.all, {share_seen, share_seen});
    EXPECT_LE(hits.least, share);
    EXPECT_GE(hits.most, share);
    EXPECT_NEAR(hits.least, share, 0.02);
    EXPECT_NEAR(hits.most, share, 0.02);
  }
}

TEST(ProbedTreesTest, FewProbesSayLittle) {
  ProbedTrees trees;
  trees.Add(TreeOf({{FilteredFile(1e4), 5}, {FilteredFile(1e5), 6}}));
  EXPECT_EQ(0, trees.Behind(0, 0).all);
  for (const double sampled : {0.0, 10.0, 1000.0}) {
    const HitRange none = trees.Hits(sampled, {0, 0});
    EXPECT_EQ(0, none.least);
    EXPECT_GE(none.most, std::min(1.0, 1 / (sampled + 1))) << sampled;
    const HitRange half = trees.Hits(sampled, {0.4, 0.6});
    EXPECT_LT(half.least, 0.39);
    EXPECT_GT(half.most, 0.61);
  }
  EXPECT_EQ(1, trees.Hits(0, {0, 0}).most);
  EXPECT_LE(trees.Hits(1000, {0, 0}).most, 0.01);
  // A lookup meets both runs, and 1 % is false in each.
  EXPECT_NEAR(2 * std::sqrt(0.02e5) / 1e5, trees.Hits(1e5, {0, 0}).most, 1e-5);
  // Fewer positives than are false on average.
  EXPECT_LT(trees.Behind(1e5, 0).hits, 0);
  EXPECT_EQ(0, trees.Hits(1e5, {-0.01, -0.01}).least);
}

TEST(ProbedTreesTest, KnowWhatTheyCannotTell) {
  const auto hits = [&](const PlacedFile& more) {
    ProbedTrees trees;
    trees.Add(TreeOf({{FilteredFile(1000), 5}, more}));
    return trees.Hits(1e5, {0.5, 0.5});
  };
  EXPECT_GT(hits({FilteredFile(10'000), 6}).least, 0.49);
  EXPECT_LT(hits({FilteredFile(10'000), 6}).most, 0.51);
  EXPECT_GT(hits({UnfilteredFile(50), 6}).least, 0.4);
  // Hits go unseen.
  EXPECT_EQ(0, hits({UnfilteredFile(200), 6}).least);
  EXPECT_EQ(1, hits({UnfilteredFile(200), 6}).most);
  // A positive may be one of several of a row, or of a scan.
  FileTotals merged = FilteredFile(10'000);
  merged.ambiguous = 10'000;
  EXPECT_EQ(0, hits({merged, 6}).least);
  EXPECT_EQ(hits({FilteredFile(10'000), 6}).most, hits({merged, 6}).most);
  EXPECT_EQ(1, ProbedTrees().Hits(1e5, {0, 0}).most);
}

}  // namespace
}  // namespace linebloom
