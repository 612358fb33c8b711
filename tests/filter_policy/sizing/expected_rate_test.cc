#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/sizing/sizing.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

using Case = std::tuple<Line, double>;

class ExpectedRateTest : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    LinesAndBits, ExpectedRateTest,
    testing::Combine(testing::Values(Line::kPlain, Line::kSolved),
                     testing::Values(1, 2.5, 6, 10, 16, 24, 30)));

// Filters have the rate that was planned for them. A filter of 3,000 lines
// varies by one or two per cent at many bits per key.
TEST_P(ExpectedRateTest, MatchesBuiltFilters) {
  const auto [line, bits_per_key] = GetParam();
  const auto millibits = static_cast<uint32_t>(1000 * bits_per_key);
  constexpr int kLines = 3000;
  std::vector<uint64_t> hashes =
      RandomHashes(static_cast<size_t>(kLines * 512 / bits_per_key), 3);
  const FilterBlock block = BuildFilter(HashList(hashes), {millibits, line, 0});
  const double built = ParseFilter(block.bytes.get(), block.size)
                           .info.expected_false_positive_rate;
  const double expected = ExpectedRate(line, millibits, 512 / bits_per_key);
  EXPECT_NEAR(1, expected / built, bits_per_key <= 10 ? 0.02 : 0.1)
      << expected << " against " << built;
}

TEST(ExpectedRateTest, IsARateForAnyLoad) {
  for (const Line line : {Line::kPlain, Line::kSolved}) {
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
    EXPECT_EQ(1, ExpectedRate(line, 10000, std::nan("")));
  }
}

constexpr Line kLines[] = {Line::kPlain, Line::kSolved};

double RateOf(Line line, uint32_t millibits) {
  return ExpectedRate(line, millibits, 512e3 / millibits);
}

// Never more bits than are known to reach a rate, except for the few that the
// header allows for plain lines, and with one thousandth less it isn't reached.
TEST(BitsForRateTest, FindsTheFewestBits) {
  for (const Line line : kLines) {
    const uint32_t slack = line == Line::kPlain ? 30 : 0;
    for (uint32_t millibits = kMinMillibits + 1; millibits <= kMaxMillibits;
         millibits += 13) {
      const double rate = RateOf(line, millibits);
      const uint32_t found = BitsForRate(line, rate).value();
      EXPECT_LE(found, millibits + slack) << static_cast<int>(line);
      EXPECT_LE(RateOf(line, found), rate);
      EXPECT_GT(RateOf(line, found - 1), rate);
    }
  }
}

TEST(BitsForRateTest, TakesTheMinimumAndFindsNothingBelowTheLowestRate) {
  for (const Line line : kLines) {
    EXPECT_EQ(BitsForRate(line, 1), kMinMillibits);
    const double lowest = RateOf(line, kMaxMillibits);
    EXPECT_TRUE(BitsForRate(line, lowest).has_value());
    EXPECT_FALSE(BitsForRate(line, 0.999 * lowest).has_value());
    EXPECT_FALSE(BitsForRate(line, 0).has_value());
    EXPECT_FALSE(BitsForRate(line, std::numeric_limits<double>::quiet_NaN()));
  }
}

}  // namespace
}  // namespace linebloom
