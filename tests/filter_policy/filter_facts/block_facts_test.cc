#include "filter_policy/filter_facts/block_facts.h"

#include <gtest/gtest.h>

namespace linebloom {
namespace {

TEST(BlockFactsTest, BlockedBloomIsSlightlyAboveClassicBloom) {
  // Ten bits per key and six probes: 0.84 % without lines, 0.96 % with.
  const double rate = BlockedBloomRate(512'000, 10'000, 6);
  EXPECT_GT(rate, 0.0084);
  EXPECT_NEAR(rate, 0.0096, 0.0001);
}

TEST(BlockFactsTest, BlockedBloomHandlesOneKeyAndCrowdedLines) {
  EXPECT_NEAR(BlockedBloomRate(1, 1'000'000, 6), 1e-6 * 6 * 6 * 6, 1e-3);
  EXPECT_NEAR(BlockedBloomRate(1'000'000, 10, 1), 1, 1e-6);
}

TEST(BlockFactsTest, RibbonHalvesWithEachColumn) {
  EXPECT_DOUBLE_EQ(RibbonRate(700, 100), 1.0 / 128);
  EXPECT_DOUBLE_EQ(RibbonRate(800, 100), 1.0 / 256);
  // Half of the blocks have an additional column.
  EXPECT_DOUBLE_EQ(RibbonRate(750, 100), (1.0 / 128 + 1.0 / 256) / 2);
}

}  // namespace
}  // namespace linebloom
