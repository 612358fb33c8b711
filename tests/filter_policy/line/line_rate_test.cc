#include "filter_policy/line/line_rate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

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

// Each product and each sum rounded on its own: `volatile` keeps the compiler
// from fusing them. What a fused multiply-add would change is the last bit.
double RateInSingleSteps(const BitsSet& bits_set, int probes) {
  volatile double sum = 0;
  for (int window = 0; window < kPlainWords; ++window) {
    volatile double product = 1;
    for (int i = 0; i < probes; ++i) {
      // Whole rounds come first, one word after another.
      const int rounds = probes / kPlainWords;
      const int word =
          i < rounds * kPlainWords ? i / rounds : (window + i) % kPlainWords;
      product = product * (bits_set[word] / 64.0);
    }
    sum = sum + product;
  }
  return sum / kPlainWords;
}

TEST(PlainLineRateTest, IsTheSameToTheLastBitWhateverIsFused) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    BitsSet bits_set;
    for (int& bits : bits_set) bits = static_cast<int>(random() % 65);
    const int probes = 1 + static_cast<int>(random() % kMaxPlainProbes);
    ASSERT_EQ(RateInSingleSteps(bits_set, probes),
              PlainLineRate(bits_set, probes))
        << probes << " probes";
  }
}

}  // namespace
}  // namespace linebloom
