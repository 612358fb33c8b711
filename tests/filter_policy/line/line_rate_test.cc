#include "filter_policy/line/line_rate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace linebloom {
namespace {

TEST(LineRateTest, EmptyAndFullLines) {
  const std::array<uint64_t, 8> empty{};
  std::array<uint64_t, 7> full;
  full.fill(~uint64_t{0});
  for (int probes = 1; probes <= 14; ++probes) {
    EXPECT_EQ(0.0, LineRate(empty, probes));
    EXPECT_EQ(1.0, LineRate(full, probes));
  }
}

TEST(LineRateTest, HalfFullLine) {
  std::array<uint64_t, 8> half;
  half.fill(0x00000000ffffffff);
  for (int probes = 1; probes <= 16; ++probes) {
    EXPECT_DOUBLE_EQ(std::pow(0.5, probes), LineRate(half, probes));
  }
}

// Two probes in 7 words of which one is empty: 5 of the 7 windows avoid it.
TEST(LineRateTest, IsTheMeanOverWindows) {
  std::array<uint64_t, 7> words;
  words.fill(~uint64_t{0});
  words[3] = 0;
  EXPECT_DOUBLE_EQ(5.0 / 7.0, LineRate(words, 2));
  EXPECT_EQ(0.0, LineRate(words, 7));
}

// 9 probes in 7 words: one round through all, then 2 words once more.
TEST(LineRateTest, SecondRound) {
  std::array<uint64_t, 7> words;
  words.fill(~uint64_t{0});
  words[0] = 0xffff;  // a quarter
  EXPECT_DOUBLE_EQ(0.25 * (5.0 / 7.0) + 0.25 * 0.25 * (2.0 / 7.0),
                   LineRate(words, 9));
}

}  // namespace
}  // namespace linebloom
