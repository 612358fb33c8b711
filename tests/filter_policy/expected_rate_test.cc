#include "filter_policy/expected_rate.h"

#include <gtest/gtest.h>

#include "filter_policy/filter_builder.h"
#include "table/filter_block.h"
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

}  // namespace
}  // namespace linebloom
