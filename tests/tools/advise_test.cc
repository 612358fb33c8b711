#include <array>
#include <cmath>
#include <list>
#include <random>
#include <unordered_map>
#include <vector>

#include "gtest/gtest.h"
#include "tools/advise/cache_model.h"
#include "tools/advise/filter_curve.h"
#include "tools/advise/lookup_costs.h"

namespace linebloom::tools {
namespace {

// RocksDB's LRUCache with blocks of one byte: those of high priority and those
// that were found begin at the head of the high segment, the others at that of
// the low one; what the high segment has too much moves to the low one.
class SimulatedCache {
 public:
  SimulatedCache(size_t capacity, size_t high_capacity)
      : capacity_(capacity), high_capacity_(high_capacity) {}

  // Returns true if it is there.
  bool Request(int block, bool high_priority) {
    const auto found = entries_.find(block);
    const bool is_hit = found != entries_.end();
    if (is_hit) {
      segments_[found->second.high ? 1 : 0].erase(found->second.at);
      entries_.erase(found);
    }
    const bool high = is_hit || high_priority;
    Insert(block, high);
    while (segments_[1].size() > high_capacity_) {
      const int last = segments_[1].back();
      segments_[1].pop_back();
      Insert(last, /*high=*/false);
    }
    while (entries_.size() > capacity_) {
      std::list<int>& from = segments_[segments_[0].empty() ? 1 : 0];
      entries_.erase(from.back());
      from.pop_back();
    }
    return is_hit;
  }

 private:
  struct Entry {
    bool high;
    std::list<int>::iterator at;
  };

  void Insert(int block, bool high) {
    std::list<int>& segment = segments_[high ? 1 : 0];
    segment.push_front(block);
    entries_[block] = {high, segment.begin()};
  }

  const size_t capacity_;
  const size_t high_capacity_;
  std::array<std::list<int>, 2> segments_;  // the newest first
  std::unordered_map<int, Entry> entries_;
};

// Half of 2,000 blocks have high priority; Zipf's law for their popularity.
void CompareWithSimulation(size_t capacity, double high_share) {
  constexpr int kBlocks = 2000;
  std::vector<double> rates(kBlocks);
  for (int i = 0; i < kBlocks; ++i) rates[i] = std::pow(1 + i, -0.8);
  const auto is_high = [](int block) { return block % 2 == 0; };

  SimulatedCache cache(capacity, static_cast<size_t>(high_share * capacity));
  std::mt19937_64 random(1);
  std::discrete_distribution<int> draw(rates.begin(), rates.end());
  std::array<double, 2> requests = {};
  std::array<double, 2> missed = {};
  for (int i = 0; i < 600'000; ++i) {
    const int block = draw(random);
    const bool found = cache.Request(block, is_high(block));
    if (i < 100'000) continue;
    ++requests[is_high(block)];
    missed[is_high(block)] += found ? 0 : 1;
  }

  double sum = 0;
  for (const double rate : rates) sum += rate;
  CacheModel model;
  for (int i = 0; i < kBlocks; ++i) {
    model.Add({1, 1, rates[i] / sum, is_high(i)});
  }
  model.Solve(static_cast<double>(capacity), high_share);
  std::array<double, 2> weights = {};
  std::array<double, 2> predicted = {};
  for (int i = 0; i < kBlocks; ++i) {
    weights[is_high(i)] += rates[i];
    predicted[is_high(i)] +=
        rates[i] * model.MissRatio(rates[i] / sum, is_high(i));
  }
  for (const int high : {0, 1}) {
    EXPECT_NEAR(predicted[high] / weights[high], missed[high] / requests[high],
                0.02)
        << "capacity " << capacity << ", high share " << high_share
        << ", high priority " << high;
  }
}

TEST(CacheModelTest, MissesAsMuchAsASimulatedCache) {
  for (const size_t capacity : {100, 400, 1000, 1600}) {
    for (const double high_share : {0.0, 0.5}) {
      CompareWithSimulation(capacity, high_share);
    }
  }
}

TEST(CacheModelTest, ReadsNothingIfAllFitsAndAllWithoutMemory) {
  CacheModel model;
  model.Add({10, 100, 0.1, true});
  model.Solve(1000);
  EXPECT_EQ(model.MissRatio(0.1, true), 0);
  model.Solve(0);
  EXPECT_EQ(model.MissRatio(0.1, true), 1);
  EXPECT_EQ(model.MissRatio(0.1, false), 1);
}

TEST(FilterCurveTest, KnowsWhatPoliciesBuild) {
  const auto curve = FilterCurve::Of(
      [](int bits) { return "bloomfilter:" + std::to_string(bits); });
  ASSERT_TRUE(curve.ok()) << curve.status();
  const FilterSize ten = curve->Asked(10, 1000);
  EXPECT_NEAR(ten.bytes, 1250, 15);
  EXPECT_NEAR(ten.rate, 0.0095, 0.0005);
  const FilterSize between = curve->OfBits(9.5, 1000);
  EXPECT_GT(between.rate, ten.rate);
  EXPECT_LT(between.rate, curve->Asked(9, 1000).rate);
}

// A run of a thousand rows above one of nine thousand in three files.
std::vector<Tree> TwoRuns() {
  const auto file = [](int level, double rows, Stretch place) {
    TreeFile made;
    made.rows = made.filter_keys = rows;
    made.data_blocks = rows / 50;
    made.data_block_bytes = 4000;
    made.index_bytes = 20 * made.data_blocks;
    made.level = level;
    made.older_rows = level == 0 ? 9000 : 0;
    made.place = place;
    return made;
  };
  return {{{file(0, 1000, {0, 1}), file(1, 3000, {0, 0.33}),
            file(1, 3000, {0.33, 0.67}), file(1, 3000, {0.67, 1})}}};
}

std::vector<std::vector<FilterSize>> OfRate(double rate) {
  const double bytes = rate < 1 ? 1.25 : 0;  // per row
  return {{{1000 * bytes, rate},
           {3000 * bytes, rate},
           {3000 * bytes, rate},
           {3000 * bytes, rate}}};
}

TEST(ExpectReadsTest, CountsWhatLookupsNeedWithoutACache) {
  CacheUse use;
  use.capacity = 1;  // byte
  use.pin_level0 = false;
  const ExpectedReads reads = ExpectReads(TwoRuns(), OfRate(0.01), use, {});
  EXPECT_NEAR(reads.per_missing.filter, 2, 1e-9);
  EXPECT_NEAR(reads.per_missing.index, 0.02, 1e-9);
  EXPECT_NEAR(reads.per_missing.data, 0.02, 1e-9);
  // A tenth of the rows is in the upper run.
  EXPECT_NEAR(reads.per_present.filter, 1.9, 1e-9);
  EXPECT_NEAR(reads.per_present.data, 1.009, 1e-9);
  EXPECT_NEAR(reads.filter_bytes, 12'500, 1e-9);
  EXPECT_NEAR(reads.per_lookup(0.5),
              (reads.per_missing.all() + reads.per_present.all()) / 2, 1e-9);

  const ExpectedReads without = ExpectReads(TwoRuns(), OfRate(1), use, {});
  EXPECT_EQ(without.per_missing.filter, 0);
  EXPECT_NEAR(without.per_missing.data, 2, 1e-9);
}

TEST(ExpectReadsTest, PinsLevel0AndReadsPartsOfFilters) {
  CacheUse use;
  use.capacity = 5000;  // one filter of the lower run, with nothing else
  const ExpectedReads whole = ExpectReads(TwoRuns(), OfRate(0.01), use, {});
  EXPECT_LT(whole.per_missing.filter, 1);  // that of level 0 is pinned
  EXPECT_EQ(whole.largest_block, 3750);
  use.partitioned = true;
  use.metadata_block_bytes = 1000;
  const ExpectedReads parts = ExpectReads(TwoRuns(), OfRate(0.01), use, {});
  EXPECT_LT(parts.largest_block, 1000);
  use.capacity = 1e9;
  EXPECT_EQ(ExpectReads(TwoRuns(), OfRate(0.01), use, {}).per_missing.all(), 0);
}

TEST(ExpectReadsTest, KeepsWhatHotRangesNeed) {
  CacheUse use;
  use.capacity = 9000;
  ExpectedLookups even;
  ExpectedLookups hot;
  hot.skew = *Skew::Parse("90/10", 1);
  EXPECT_LT(
      ExpectReads(TwoRuns(), OfRate(0.01), use, hot).per_lookup(0),
      0.7 * ExpectReads(TwoRuns(), OfRate(0.01), use, even).per_lookup(0));
}

}  // namespace
}  // namespace linebloom::tools
