#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "filter_policy/line/plain_probes.h"

namespace linebloom {
namespace {

using BitsSet = std::array<int, kWordsPerLine>;

// All words have `others` bits set, but for one that has `odd`.
double RateOf(int others, int odd, int probes) {
  BitsSet bits_set;
  bits_set.fill(others);
  bits_set[3] = odd;
  return PlainLineRate(bits_set, probes);
}

TEST(PlainLineRateTest, IsTheMeanOverWindows) {
  for (int probes = 1; probes <= kMaxPlainProbes; ++probes) {
    EXPECT_EQ(0.0, RateOf(0, 0, probes));
    EXPECT_EQ(1.0, RateOf(64, 64, probes));
    EXPECT_DOUBLE_EQ(std::pow(0.5, probes), RateOf(32, 32, probes));
  }
  // Two probes in 8 words: 6 of the 8 windows avoid the empty one.
  EXPECT_DOUBLE_EQ(6.0 / 8.0, RateOf(64, 0, 2));
  EXPECT_EQ(0.0, RateOf(64, 0, 8));
  // 10 probes: one round through all words, then 2 words again.
  EXPECT_DOUBLE_EQ(0.25 * (6.0 / 8.0) + 0.25 * 0.25 * (2.0 / 8.0),
                   RateOf(64, 16, 10));
}

// Each product and each sum rounded on its own: `volatile` keeps the compiler
// from fusing them. What a fused multiply-add would change is the last bit.
double RateInSingleSteps(const BitsSet& bits_set, int probes) {
  volatile double sum = 0;
  for (int window = 0; window < kWordsPerLine; ++window) {
    volatile double product = 1;
    for (int i = 0; i < probes; ++i) {
      // Whole rounds come first, one word after another.
      const int rounds = probes / kWordsPerLine;
      const int word = i < rounds * kWordsPerLine
                           ? i / rounds
                           : (window + i) % kWordsPerLine;
      product = product * (bits_set[word] / 64.0);
    }
    sum = sum + product;
  }
  return sum / kWordsPerLine;
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
