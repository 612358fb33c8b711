#include "filter_policy/filter_facts/expected_reads.h"

#include <gtest/gtest.h>

namespace linebloom {
namespace {

TEST(ExpectedReadsTest, AddsTheFilesOfL0AndAveragesBelow) {
  ExpectedReads reads;
  EXPECT_EQ(reads.All(), 0);
  reads.Add(0, 10, 0.25);
  reads.Add(0, 1000, 1);
  reads.Add(1, 300, 0.5);
  reads.Add(1, 100, 0.25);
  reads.Add(6, 7, 0.125);
  EXPECT_DOUBLE_EQ(reads.OfLevel(0), 1.25);
  EXPECT_DOUBLE_EQ(reads.OfLevel(1), 0.4375);
  EXPECT_DOUBLE_EQ(reads.OfLevel(2), 0);
  EXPECT_DOUBLE_EQ(reads.OfLevel(6), 0.125);
  EXPECT_DOUBLE_EQ(reads.All(), 1.25 + 0.4375 + 0.125);
}

TEST(ExpectedReadsTest, WeightIsTheEffectOfAChangedRate) {
  for (const int level : {0, 1}) {
    ExpectedReads before;
    ExpectedReads after;
    for (ExpectedReads* reads : {&before, &after}) reads->Add(level, 300, 0.25);
    before.Add(level, 100, 0.5);
    after.Add(level, 100, 0.125);
    EXPECT_DOUBLE_EQ(before.All() - after.All(),
                     before.Weight(level, 100) * (0.5 - 0.125));
  }
}

// A fifth of the rows, with four times as many lookups each.
TEST(ExpectedReadsTest, HotFilesCountByTheirLookups) {
  ExpectedReads reads;
  reads.Add(1, 200 * 4.0, 0.125);
  reads.Add(1, 800 * 0.25, 0.5);
  EXPECT_DOUBLE_EQ(reads.OfLevel(1), 0.8 * 0.125 + 0.2 * 0.5);
  EXPECT_DOUBLE_EQ(reads.Weight(1, 800), 0.8);
}

TEST(ExpectedReadsTest, ALevelWithoutRowsIsReadAndItsFilesDoNotCount) {
  ExpectedReads reads;
  reads.Add(3, 0, 0.5);
  EXPECT_DOUBLE_EQ(reads.OfLevel(3), 1);
  EXPECT_DOUBLE_EQ(reads.Weight(3, 0), 0);
  EXPECT_DOUBLE_EQ(reads.Weight(4, 0), 0);
}

}  // namespace
}  // namespace linebloom
