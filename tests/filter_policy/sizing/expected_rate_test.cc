#include "filter_policy/sizing/expected_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

using Case = std::tuple<BuildEffort, double>;

class ExpectedRateTest : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    EffortsAndBits, ExpectedRateTest,
    testing::Combine(testing::Values(BuildEffort::kNone, BuildEffort::kFast,
                                     BuildEffort::kBalanced, BuildEffort::kMax),
                     testing::Values(1, 2.5, 6, 10, 16, 24, 30)));

// What is planned is what a built filter then says of itself. A filter of 3,000
// lines scatters by a per cent or two at many bits per key.
TEST_P(ExpectedRateTest, IsWhatFiltersHave) {
  const auto [effort, bits_per_key] = GetParam();
  const auto millibits = static_cast<uint32_t>(1000 * bits_per_key);
  constexpr int kLines = 3000;
  std::vector<uint64_t> hashes =
      RandomHashes(static_cast<size_t>(kLines * 512 / bits_per_key), 3);
  const FilterBlock block =
      BuildFilter(HashList(hashes), {millibits, effort, 0});
  const double built = ParseFilterBlock(block.bytes.get(), block.size)
                           .info.expected_false_positive_rate;
  const double expected = ExpectedRate(effort, millibits, 512 / bits_per_key);
  EXPECT_NEAR(1, expected / built, bits_per_key <= 10 ? 0.02 : 0.1)
      << expected << " against " << built;
}

TEST(ExpectedRateTest, GoesToOneAndToZero) {
  for (const BuildEffort effort :
       {BuildEffort::kNone, BuildEffort::kBalanced}) {
    EXPECT_GT(ExpectedRate(effort, 1000, 5000), 0.99);
    EXPECT_LE(ExpectedRate(effort, 1000, 5000), 1.0 + 1e-9);
    EXPECT_LT(ExpectedRate(effort, 30000, 1), 1e-8);
  }
}

constexpr BuildEffort kEfforts[] = {BuildEffort::kNone, BuildEffort::kFast,
                                    BuildEffort::kBalanced, BuildEffort::kMax};

double RateOf(BuildEffort effort, uint32_t millibits) {
  return ExpectedRate(effort, millibits, 512e3 / millibits);
}

// Never more bits than a rate is known to be reached with, but for the few that
// the header grants plain lines.
TEST(BitsForRateTest, FindsTheFewestBits) {
  for (const BuildEffort effort : kEfforts) {
    const uint32_t slack = effort == BuildEffort::kNone ? 30 : 0;
    for (uint32_t millibits = kLeastMillibits; millibits <= kMostMillibits;
         millibits += 13) {
      EXPECT_LE(BitsForRate(effort, RateOf(effort, millibits)),
                millibits + slack)
          << static_cast<int>(effort);
    }
  }
}

TEST(BitsForRateTest, OneThousandthLessDoesNotReachTheRate) {
  std::mt19937_64 random(6);
  for (const BuildEffort effort : kEfforts) {
    std::uniform_real_distribution<double> log_rate(
        std::log(RateOf(effort, kMostMillibits)),
        std::log(RateOf(effort, kLeastMillibits)));
    for (int i = 0; i < 50; ++i) {
      const double rate = std::exp(log_rate(random));
      const std::optional<uint32_t> millibits = BitsForRate(effort, rate);
      ASSERT_TRUE(millibits.has_value()) << rate;
      EXPECT_LE(RateOf(effort, *millibits), rate);
      EXPECT_GT(RateOf(effort, *millibits - 1), rate);
    }
  }
}

TEST(BitsForRateTest, IsTheInverseOfExpectedRate) {
  for (const BuildEffort effort : kEfforts) {
    for (const uint32_t millibits : {2000u, 5500u, 10000u, 16001u, 30000u}) {
      EXPECT_EQ(BitsForRate(effort, RateOf(effort, millibits)), millibits);
    }
  }
}

TEST(BitsForRateTest, TakesTheFewestBitsWhereAnyDo) {
  EXPECT_EQ(BitsForRate(BuildEffort::kBalanced, 1), kLeastMillibits);
  EXPECT_EQ(BitsForRate(BuildEffort::kNone, 0.99), kLeastMillibits);
}

TEST(BitsForRateTest, FindsNothingBelowWhatTheMostBitsReach) {
  for (const BuildEffort effort : kEfforts) {
    const double lowest = RateOf(effort, kMostMillibits);
    EXPECT_TRUE(BitsForRate(effort, lowest).has_value());
    EXPECT_FALSE(BitsForRate(effort, 0.999 * lowest).has_value());
    EXPECT_FALSE(BitsForRate(effort, 0).has_value());
    EXPECT_FALSE(BitsForRate(effort, std::numeric_limits<double>::quiet_NaN()));
  }
}

}  // namespace
}  // namespace linebloom
