// read_model_test.cc compares it with measured reads.
#include "filter_policy/bits/cache_model.h"

#include <gtest/gtest.h>

namespace linebloom {
namespace {

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

// Alike blocks are evicted alike: the share that is in the cache is found.
TEST(CacheModelTest, HoldsItsShareOfAlikeBlocks) {
  for (const double high_share : {0.0, 0.5, 1.0}) {
    CacheModel model;
    model.Add(1e6, 1e-3, true);
    model.Solve(3e5, high_share);
    EXPECT_NEAR(model.MissRatio(1e-3, true), 0.7, 0.01) << high_share;
  }
}

}  // namespace
}  // namespace linebloom
