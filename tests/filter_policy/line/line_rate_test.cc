#include "filter_policy/line/line_rate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace linebloom {
namespace {

using BitsSet = std::array<int, kPlainWords>;

TEST(PlainLineRateTest, EmptyAndFullLines) {
  BitsSet full;
  full.fill(64);
  for (int probes = 1; probes <= kMaxPlainProbes; ++probes) {
    EXPECT_EQ(0.0, PlainLineRate(BitsSet{}, probes));
    EXPECT_EQ(1.0, PlainLineRate(full, probes));
  }
}

TEST(PlainLineRateTest, HalfFullLine) {
  BitsSet half;
  half.fill(32);
  for (int probes = 1; probes <= kMaxPlainProbes; ++probes) {
    EXPECT_DOUBLE_EQ(std::pow(0.5, probes), PlainLineRate(half, probes));
  }
}

// Two probes in 8 words of which one is empty: 6 of the 8 windows avoid it.
TEST(PlainLineRateTest, IsTheMeanOverWindows) {
  BitsSet bits_set;
  bits_set.fill(64);
  bits_set[3] = 0;
  EXPECT_DOUBLE_EQ(6.0 / 8.0, PlainLineRate(bits_set, 2));
  EXPECT_EQ(0.0, PlainLineRate(bits_set, 8));
}

// 10 probes in 8 words: one round through all of them, then 2 words again.
TEST(PlainLineRateTest, SecondRound) {
  BitsSet bits_set;
  bits_set.fill(64);
  bits_set[0] = 16;
  EXPECT_DOUBLE_EQ(0.25 * (6.0 / 8.0) + 0.25 * 0.25 * (2.0 / 8.0),
                   PlainLineRate(bits_set, 10));
}

}  // namespace
}  // namespace linebloom
