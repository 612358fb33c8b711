// The model of a cache beside RocksDB's own.
#include "filter_policy/bits/cache_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace linebloom {
namespace {

// 500,000 requests for 2,000 blocks, every other one of high priority, with
// Zipf's law (0.8) for their popularity: the shares that RocksDB's LRUCache of
// one shard missed.
TEST(CacheModelTest, MissesAsMuchAsRocksDbsCache) {
  constexpr int kBlocks = 2000;
  const struct {
    double capacity, high_share;
    double missed[2];  // of low and of high priority
  } cells[] = {{100, 0, {0.7383, 0.6876}},  {100, 0.5, {0.7609, 0.6460}},
               {400, 0, {0.4770, 0.4456}},  {400, 0.5, {0.5009, 0.4033}},
               {1000, 0, {0.2298, 0.2154}}, {1000, 0.5, {0.2436, 0.1929}},
               {1600, 0, {0.0752, 0.0710}}, {1600, 0.5, {0.0787, 0.0663}}};
  double sum = 0;
  std::vector<double> rates(kBlocks);
  for (int i = 0; i < kBlocks; ++i) sum += rates[i] = std::pow(1 + i, -0.8);
  CacheModel model;
  for (int i = 0; i < kBlocks; ++i) model.Add(1, rates[i] / sum, i % 2 == 0);
  for (const auto& [capacity, high_share, missed] : cells) {
    model.Solve(capacity, high_share);
    double requests[2] = {};
    double misses[2] = {};
    for (int i = 0; i < kBlocks; ++i) {
      const bool high = i % 2 == 0;
      requests[high] += rates[i];
      misses[high] += rates[i] * model.MissRatio(rates[i] / sum, high);
    }
    for (const int high : {0, 1}) {
      EXPECT_NEAR(misses[high] / requests[high], missed[high], 0.003)
          << capacity << " blocks, high share " << high_share;
    }
  }
}

TEST(CacheModelTest, ReadsNothingIfAllFitsAndAllWithoutMemory) {
  CacheModel model;
  model.Add(1000, 0.1, true);
  model.Solve(1000, 0.5);
  EXPECT_EQ(model.MissRatio(0.1, true), 0);
  for (const double capacity : {0.0, -1.0}) {
    model.Solve(capacity, 0.5);
    EXPECT_EQ(model.MissRatio(0.1, true), 1);
    EXPECT_EQ(model.MissRatio(0.1, false), 1);
  }
}

}  // namespace
}  // namespace linebloom
