#include "filter_policy/filter/sizing.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "filter_policy/filter/filter_builder.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

constexpr LineKind kKinds[] = {LineKind::kPlain, LineKind::kSolved};

TEST(SizingTest, HugeFiltersStopAtFourGigabytes) {
  EXPECT_EQ(kMaxLines, NumLinesForKeys(uint64_t{1} << 40, 30000));
  EXPECT_EQ(kMaxLines, NumLinesForKeys(~uint64_t{0}, 30000));
  EXPECT_EQ(10'000u, MillibitsPerKey(10, 512));
}

TEST(SizingTest, LinesWithinIsTheInverseOfBytesOfLines) {
  for (const LineKind line : kKinds) {
    for (uint32_t lines = 0; lines < 100; ++lines) {
      const size_t bytes = BytesOfLines(line, lines);
      EXPECT_EQ(lines, NumLinesInBytes(line, bytes));
      EXPECT_EQ(lines, NumLinesInBytes(line, bytes + kLineBytes - 1));
      EXPECT_EQ(lines,
                NumLinesInBytes(line, BytesOfLines(line, lines + 1) - 1));
    }
    EXPECT_EQ(kMaxLines, NumLinesInBytes(line, SIZE_MAX));
    EXPECT_LT(BytesOfLines(line, kMaxLines), 0xffffff00u);
  }
}

double RateOf(LineKind line, uint32_t millibits) {
  return ExpectedRate(line, millibits, 512e3 / millibits);
}

// What the block states or, for plain lines, what its bits say.
double RateOf(const FilterBlock& block) {
  const FilterBlockInfo info = ParseFilter(block.bytes.get(), block.size).info;
  if (info.shape.kind == LineKind::kSolved)
    return info.expected_false_positive_rate;
  double sum = 0;
  for (uint32_t line = 0; line < info.lines; ++line) {
    int set = 0;
    for (size_t at = 0; at < kLineBytes; ++at) {
      set += std::popcount(
          static_cast<uint8_t>(block.bytes[line * kLineBytes + at]));
    }
    sum += std::pow(set / kBitsPerLine, info.shape.base);
  }
  return sum / info.lines;
}

// Filters have the rate that was planned for them. A filter of 3,000 lines
// varies by one or two per cent at many bits per key.
TEST(ExpectedRateTest, MatchesBuiltFilters) {
  for (const LineKind line : kKinds) {
    for (const uint32_t millibits :
         {1000u, 2500u, 6000u, 10000u, 16000u, 24000u, 30000u}) {
      const std::vector<uint64_t> hashes =
          RandomHashes(3000 * 512'000 / millibits, 3);
      const double expected = RateOf(line, millibits);
      const double built =
          RateOf(BuildFilter(ListOf(hashes), AsBuilt({millibits, line})));
      EXPECT_NEAR(1, expected / built, millibits <= 10000 ? 0.02 : 0.1)
          << expected << " against " << built;
    }
  }
}

TEST(RateOfTest, IsTheExpectedRate) {
  for (const LineKind line : kKinds) {
    for (double bits = 1; bits <= 30; bits += 0.3) {
      const auto millibits = static_cast<uint32_t>(1000 * bits);
      EXPECT_NEAR(1, linebloom::RateOf(line, bits) / RateOf(line, millibits),
                  0.02)
          << bits;
    }
    EXPECT_EQ(1, linebloom::RateOf(line, 0));
    EXPECT_GT(linebloom::RateOf(line, 40), 0);
  }
}

TEST(ExpectedRateTest, IsARateForAnyLoad) {
  for (const LineKind line : kKinds) {
    double last = 0;
    for (double load = 1e-3; load < 1e18; load *= 3) {
      const double rate = ExpectedRate(line, 1000, load);
      EXPECT_GE(rate, last * (1 - 1e-6)) << load;
      EXPECT_LE(rate, 1 + 1e-9) << load;
      last = rate;
    }
    EXPECT_NEAR(1, last, 1e-9);
    EXPECT_LT(ExpectedRate(line, 30000, 1), 1e-8);
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(1, ExpectedRate(line, 10000, infinity));
  }
}

// Never more bits than are known to reach a rate, except for the few that the
// header allows for plain lines, and with one thousandth less it isn't reached.
TEST(BitsForRateTest, FindsTheFewestBits) {
  for (const LineKind line : kKinds) {
    const uint32_t slack = line == LineKind::kPlain ? 240 : 0;
    for (uint32_t millibits = kMinMillibits + 1; millibits <= kMaxMillibits;
         millibits += 13) {
      const double rate = RateOf(line, millibits);
      const uint32_t found = BitsForRate(line, rate).value();
      EXPECT_LE(found, millibits + slack) << static_cast<int>(line);
      EXPECT_LE(RateOf(line, found), rate);
      EXPECT_GT(RateOf(line, found - 1), rate);
    }
    EXPECT_EQ(BitsForRate(line, 1), kMinMillibits);
    const double lowest = RateOf(line, kMaxMillibits);
    EXPECT_TRUE(BitsForRate(line, lowest).has_value());
    EXPECT_FALSE(BitsForRate(line, 0.999 * lowest).has_value());
    EXPECT_FALSE(BitsForRate(line, 0).has_value());
    EXPECT_FALSE(BitsForRate(line, std::nan("")).has_value());
  }
}

}  // namespace
}  // namespace linebloom
