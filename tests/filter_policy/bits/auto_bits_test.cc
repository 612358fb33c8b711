#include "filter_policy/bits/auto_bits.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

namespace linebloom {
namespace {

read_model::Run RunOf(double rows) {
  return {.count = 1 + rows / 50'000,
          .rows = rows,
          .filter_keys = rows,
          .index_bytes = rows / 2,
          .data_blocks = rows / 50,
          .data_bytes = rows * 80};
}

// A tree of 1.11 million keys, whose filters take 1.39 MB with 10 bits.
CacheLoad LoadOf(double cache_bytes, HitRange hits) {
  CacheLoad load;
  load.cache.capacity = cache_bytes;
  load.trees = {{.runs = {RunOf(1e4), RunOf(1e5), RunOf(1e6)}}};
  load.totals = {.rows = 1.11e6, .keys = 1.11e6, .bits = 10 * 1.11e6};
  load.hits = hits;
  return load;
}

CacheLoad LoadOf(double cache_bytes, double hits) {
  return LoadOf(cache_bytes, {hits, hits});
}

double BitsOf(const CacheLoad& load) {
  return SteadyChoice().Next(load).average_bits;
}

// Nothing of what was chosen before matters, or a cache would go on from the
// bits of another.
TEST(SteadyChoiceTest, FollowsTheLoad) {
  SteadyChoice choice;
  for (const double bytes : {1e6, 3e6, 1e6, 2e6}) {
    for (const double hits : {0.0, 0.5, 0.02}) {
      EXPECT_EQ(BitsOf(LoadOf(bytes, hits)),
                choice.Next(LoadOf(bytes, hits)).average_bits)
          << bytes << " bytes, hits " << hits;
    }
  }
  // In between what is best for each end.
  EXPECT_LT(BitsOf(LoadOf(2e6, {0, 1})), BitsOf(LoadOf(2e6, 0)));
  EXPECT_GT(BitsOf(LoadOf(2e6, {0, 1})), BitsOf(LoadOf(2e6, 1)));
}

// The trees are asked for only if something moved by more than a few per cent.
TEST(SteadyChoiceTest, StaysUntilSomethingMoves) {
  SteadyChoice choice;
  const auto next = [&](const CacheLoad& load) {
    bool is_new = false;
    choice.Next(load, [&](CacheLoad*) { is_new = true; });
    return is_new;
  };
  const CacheLoad load = LoadOf(2e6, {0.02, 0.3});
  EXPECT_TRUE(next(load));
  EXPECT_FALSE(next(load));
  CacheLoad more = load;
  more.totals.keys *= 1.015;
  more.totals.rows *= 1.015;
  more.hits.most = 0.305;
  EXPECT_FALSE(next(more));
  const std::vector<std::function<void(CacheLoad*)>> moves = {
      [](CacheLoad* of) { of->totals.rows *= 1.05; },
      [](CacheLoad* of) { of->totals.keys *= 0.95; },
      [](CacheLoad* of) { of->totals.index_bytes = 1e5; },
      [](CacheLoad* of) { of->totals.data_bytes = 1e5; },
      [](CacheLoad* of) { of->cache.capacity *= 0.96; },
      [](CacheLoad* of) { of->cache.pinned = read_model::Pinned::kAll; },
      [](CacheLoad* of) { of->cache.partitioned = true; },
      [](CacheLoad* of) { of->hits.least = 0.01; },
      [](CacheLoad* of) { of->hits.most = 0.4; },
      [](CacheLoad* of) { of->sampled = true; },
      [](CacheLoad* of) { of->scanned_blocks_per_lookup = 0.1; }};
  for (size_t i = 0; i < moves.size(); ++i) {
    CacheLoad moved = load;
    moves[i](&moved);
    EXPECT_TRUE(next(moved)) << i;
    EXPECT_TRUE(next(load)) << i;
  }
  CacheLoad rewritten = load;
  rewritten.rewritten = 0.02;
  EXPECT_FALSE(next(rewritten));
  EXPECT_TRUE(next(rewritten));
  EXPECT_FALSE(next(rewritten));
}

// A tree of which half is above the last run, as after a load, has half as much
// again once it was overwritten. Its files keep their bits meanwhile.
TEST(SteadyChoiceTest, LeavesRoomToGrow) {
  CacheLoad loaded = LoadOf(4e6, 0);
  loaded.trees[0].runs = {RunOf(5e5), RunOf(5e5)};
  CacheLoad grown = loaded;
  grown.trees[0].runs[1] = RunOf(1e6);
  grown.trees[0].runs[1].count = 2 * RunOf(5e5).count;
  EXPECT_EQ(16, BitsOf(LoadOf(4e6, 0)));
  for (const double bytes : {2.5e6, 3e6}) {
    loaded.cache.capacity = grown.cache.capacity = bytes;
    const double bits = BitsOf(loaded);
    EXPECT_GT(bits, 10);
    EXPECT_EQ(
        read_model::BestChoice(grown.trees, grown.cache, {{}}).average_bits,
        bits);
    EXPECT_LT(BitsOf(grown), bits);
  }
  // The upper levels fill again after a compaction of all rows.
  SteadyChoice choice;
  EXPECT_GT(choice.Next(loaded).average_bits, 10);
  CacheLoad compacted = loaded;
  compacted.trees[0].runs = {RunOf(1e6)};
  compacted.totals.bits /= 2;
  compacted.totals.files = 20;
  EXPECT_LT(choice.Next(compacted).average_bits, BitsOf(compacted) - 1);
  // But never fewer than 10, as long as these fit.
  loaded.cache.capacity = 1.8e6;
  EXPECT_EQ(10, BitsOf(loaded));
  loaded.cache.capacity = 1e6;
  EXPECT_LT(BitsOf(loaded), 8);
}

// Lookups that hit may all miss tomorrow: no more is read then than with Bloom.
TEST(SteadyChoiceTest, NoHitsAreCertain) {
  CacheLoad load = LoadOf(1.5e6, 0.8);
  const double bits = BitsOf(load);
  const auto believed = BestChoice(load.trees, load.cache, {{0.8}});
  load.cache = PartOf(load.cache, read_model::kUsedShare);
  const auto misses = [&](LineKind line, const read_model::Choice& choice) {
    load.trees[0].line = line;
    return ReadsPerLookup(load.trees, load.cache, {}, choice).all();
  };
  const double enough = misses(LineKind::kPlain, {10, /*by_level=*/false});
  EXPECT_LT(misses(LineKind::kSolved, {bits}), 1.1 * enough);
  EXPECT_GT(misses(LineKind::kSolved, believed), 1.5 * enough);
  EXPECT_EQ(0.8, SteadyChoice().Next(load).hits.least);
}

// Nobody can say what is best then.
TEST(SteadyChoiceTest, WhereTheAnswerIsFlat) {
  EXPECT_EQ(10, BitsOf(LoadOf(1e12, 0.1)));
  for (const double bytes : {0.0, 1.0, 1000.0}) {
    EXPECT_GE(BitsOf(LoadOf(bytes, 0.1)), 1) << bytes;
    EXPECT_LE(BitsOf(LoadOf(bytes, 0.1)), 16) << bytes;
  }
}

// What iterators pin for a moment doesn't count.
TEST(SteadyChoiceTest, OthersCountAtTheSecondTime) {
  CacheLoad load = LoadOf(2e6, 0);
  SteadyChoice choice;
  EXPECT_EQ(0, choice.Next(load).others_bytes);
  const double alone = choice.Next(load).average_bits;
  load.pinned_bytes = 1e6;
  EXPECT_EQ(0, choice.Next(load).others_bytes);
  const AutoBits beside = choice.Next(load);
  EXPECT_EQ(1e6, beside.others_bytes);
  EXPECT_EQ(2e6, beside.cache_bytes);
  EXPECT_LT(beside.average_bits, alone - 1);
  load.pinned_bytes = 0;
  EXPECT_EQ(0, choice.Next(load).others_bytes);
}

// Strangers have what explains how many filters are read, until the trees are
// written anew without such reads.
TEST(SteadyChoiceTest, LeavesStrangersTheirPart) {
  CacheLoad load = LoadOf(2.5e6, 0);
  for (auto& run : load.trees[0].runs) run.kept = {1.25 * run.rows, 0.005};
  SteadyChoice choice;
  EXPECT_EQ(0, choice.Next(load).others_bytes);
  CacheLoad alone = load;
  load.rewritten = 0.05;
  load.filters_read = 0.0001;
  EXPECT_EQ(0, choice.Next(load).others_bytes);
  load.filters_read = 0.3;
  const AutoBits beside = choice.Next(load);
  EXPECT_NEAR(1e6, beside.others_bytes, 5e5);
  EXPECT_LT(beside.average_bits, BitsOf(alone) - 2);
  alone.rewritten = 1;
  EXPECT_NEAR(0.1 * beside.others_bytes, choice.Next(alone).others_bytes, 1);
  // Of a HyperClockCache's slots, too.
  alone.hits = load.hits = {0.5, 0.5};
  load.cache.slots = 200;
  const AutoBits few = SteadyChoice().Next(load);
  alone.cache.capacity -= few.others_bytes;
  alone.cache.slots = 200 * alone.cache.capacity / 2.5e6;
  EXPECT_NEAR(few.reads.most_hits, SteadyChoice().Next(alone).reads.most_hits,
              1e-6);
}

}  // namespace
}  // namespace linebloom
