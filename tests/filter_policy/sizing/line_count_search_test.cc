#include "filter_policy/sizing/line_count_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "filter_policy/sizing/sizing.h"

namespace linebloom {
namespace {

constexpr double kSlope = 0.47;

struct Found {
  uint32_t count = 0;
  double rate = 0;
  int tries = 0;
};

// Runs the search for filters whose rate with `count` lines is rate(count).
template <typename Rate>
Found Search(uint32_t first, uint64_t keys, double asked, const Rate& rate) {
  LineCountSearch search(first, keys, asked, kSlope);
  Found found;
  while (const auto count = search.Next()) {
    ++found.tries;
    const double its_rate = rate(*count);
    if (search.Judge(its_rate)) {
      found.count = *count;
      found.rate = its_rate;
    }
  }
  return found;
}

// The rate of `keys` in `count` lines if it fell smoothly: 1 % at 8 bits per
// key.
double EvenRate(uint64_t keys, double count) {
  return 0.01 *
         std::exp(-kSlope * (count * 512 / static_cast<double>(keys) - 8));
}

TEST(LineCountSearchTest, AGoodFirstGuessIsKeptAndABadOneCorrected) {
  for (const uint64_t keys : {10000, 1000000}) {
    const auto rate = [&](uint32_t count) { return EvenRate(keys, count); };
    for (const uint32_t first : {6500u, 7000u, 7990u, 8030u, 9000u, 12000u}) {
      const Found found = Search(LinesFor(keys, first), keys, 0.01, rate);
      EXPECT_LE(found.rate, 0.01) << first;
      EXPECT_GE(found.rate, 0.95 * 0.01) << first;
      EXPECT_LE(found.tries, keys > 65536 ? 2 : 3) << first;
      if (first == 8030 && keys > 65536) {
        EXPECT_EQ(1, found.tries);
        EXPECT_EQ(LinesFor(keys, first), found.count);
      }
    }
  }
}

TEST(LineCountSearchTest, FewKeysWithRatesThatVaryByChance) {
  std::mt19937_64 random(1);
  int tries = 0;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t keys = 1 + random() % 20000;
    const uint64_t filter = random();
    const auto rate = [&](uint32_t count) {
      std::mt19937_64 of_this(filter + count);
      return EvenRate(keys, count) *
             std::exp(std::normal_distribution<double>(0, 0.05)(of_this));
    };
    const Found found = Search(LinesFor(keys, 8030), keys, 0.01, rate);
    ASSERT_GT(found.count, 0u);
    EXPECT_LE(found.rate, 0.01) << keys;
    tries += found.tries;
  }
  EXPECT_LT(tries, 5000);
}

TEST(LineCountSearchTest, OneLineIsTheMinimum) {
  const Found found = Search(1, 1, 0.5, [](uint32_t) { return 1e-9; });
  EXPECT_EQ(1u, found.count);
  EXPECT_EQ(1, found.tries);
  EXPECT_EQ(1u, Search(3, 1, 0.5, [](uint32_t) { return 0; }).count);
}

// Keys that crowd into few lines keep the rate high, whatever the number of
// lines.
TEST(LineCountSearchTest, EndsIfNothingReachesTheRate) {
  for (const uint64_t keys : {100, 65536, 65537, 1000000}) {
    const uint32_t first = LinesFor(keys, 8030);
    std::vector<uint32_t> counts;
    const auto rate = [&](uint32_t count) {
      counts.push_back(count);
      return 0.5 - 1e-9 * count;  // slightly lower with each line
    };
    const Found found = Search(first, keys, 0.01, rate);
    EXPECT_LE(found.tries, keys <= 65536 ? 8 : 2);
    const uint32_t most = *std::max_element(counts.begin(), counts.end());
    EXPECT_LE(most, std::max(first + 2.0, 1.3 * first));
    EXPECT_EQ(most, found.count);
  }
}

}  // namespace
}  // namespace linebloom
