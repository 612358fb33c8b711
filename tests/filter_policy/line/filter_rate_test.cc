// The rates of filters of solved lines with random loads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "filter_policy/line/builder/line_builder.h"
#include "filter_policy/line/builder/solved_shape.h"
#include "tests/filter_policy/line/line_cases.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

struct Filter {
  Filter(uint64_t keys, double bits_per_key)
      : line_count(static_cast<uint32_t>(keys * bits_per_key / 8 / kLineBytes)),
        lines(line_count),
        codes(GroupsOf(line_count)),
        shape(SolvedShape(keys, line_count)) {
    std::vector<uint64_t> hashes = RandomHashes(keys, keys);
    std::sort(hashes.begin(), hashes.end());
    LineBuilder builder(shape);
    auto begin = hashes.begin();
    for (uint32_t i = 0; i < codes.size(); ++i) {
      const auto end = std::find_if(begin, hashes.end(), [&](uint64_t hash) {
        return GroupOf(hash, line_count) != i;
      });
      rate += builder.BuildGroup({begin, end}, line_count, i,
                                 lines[i * kLinesPerGroup].data(), &codes[i]) /
              line_count;
      begin = end;
    }
  }

  // How many of `count` missing hashes match.
  int Matches(int count) const {
    const auto may_match = ChosenKernel().solved.line_may_match;
    std::mt19937_64 random(1);
    int matches = 0;
    for (int i = 0; i < count; ++i) {
      const uint64_t hash = random();
      const uint8_t code = codes[GroupOf(hash, line_count)];
      const uint8_t* const line =
          lines[BalancedLineOf(hash, line_count, code)].data();
      matches += may_match({line, 1, shape}, line, hash);
    }
    return matches;
  }

  uint32_t line_count;
  std::vector<LineBytes> lines;
  std::vector<uint8_t> codes;
  LineShape shape;
  double rate = 0;
};

struct RateCase {
  double bits_per_key;
  double most_rate;
};

class FilterRateTest : public testing::TestWithParam<RateCase> {};

INSTANTIATE_TEST_SUITE_P(BitsPerKey, FilterRateTest,
                         testing::Values(RateCase{7, 0.0093},
                                         RateCase{10, 0.0013},
                                         RateCase{16, 0.000032}),
                         [](const auto& test) {
                           return std::to_string(
                               static_cast<int>(test.param.bits_per_key));
                         });

TEST_P(FilterRateTest, IsLowAndMeasuredAsStated) {
  const Filter filter(200000, GetParam().bits_per_key);
  EXPECT_LE(filter.rate, GetParam().most_rate);
  constexpr int kStrangers = 5000000;
  const double expected = filter.rate * kStrangers;
  EXPECT_NEAR(expected, filter.Matches(kStrangers), 4 * std::sqrt(expected));
}

}  // namespace
}  // namespace linebloom
