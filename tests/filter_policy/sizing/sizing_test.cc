#include "filter_policy/sizing/sizing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "filter_policy/filter/filter_builder.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

constexpr Line kKinds[] = {Line::kPlain, Line::kSolved};

TEST(SizingTest, HugeFiltersStopAtFourGigabytes) {
  EXPECT_EQ(kMaxLines, LinesFor(uint64_t{1} << 40, 30000));
  EXPECT_EQ(kMaxLines, LinesFor(~uint64_t{0}, 30000));
}

TEST(SizingTest, LinesWithinIsTheInverseOfBytesOfLines) {
  for (const Line line : kKinds) {
    for (uint32_t lines = 0; lines < 100; ++lines) {
      const size_t bytes = BytesOfLines(line, lines);
      EXPECT_EQ(lines, LinesWithin(line, bytes));
      EXPECT_EQ(lines, LinesWithin(line, bytes + kLineBytes - 1));
      EXPECT_EQ(lines, LinesWithin(line, BytesOfLines(line, lines + 1) - 1));
    }
    EXPECT_EQ(kMaxLines, LinesWithin(line, SIZE_MAX));
    EXPECT_LT(BytesOfLines(line, kMaxLines), 0xffffff00u);
  }
}

double RateOf(Line line, uint32_t millibits) {
  return ExpectedRate(line, millibits, 512e3 / millibits);
}

// Filters have the rate that was planned for them. A filter of 3,000 lines
// varies by one or two per cent at many bits per key.
TEST(ExpectedRateTest, MatchesBuiltFilters) {
  for (const Line line : kKinds) {
    for (const uint32_t millibits :
         {1000u, 2500u, 6000u, 10000u, 16000u, 24000u, 30000u}) {
      const std::vector<uint64_t> hashes =
          RandomHashes(3000 * 512'000 / millibits, 3);
      const double expected = RateOf(line, millibits);
      const double built =
          BuildFilter(HashList(hashes), {millibits, line}).rate;
      EXPECT_NEAR(1, expected / built, millibits <= 10000 ? 0.02 : 0.1)
          << expected << " against " << built;
    }
  }
}

TEST(ExpectedRateTest, IsARateForAnyLoad) {
  for (const Line line : kKinds) {
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

// Never more bits than are known to reach a rate, except for the few that the
// header allows for plain lines, and with one thousandth less it isn't reached.
TEST(BitsForRateTest, FindsTheFewestBits) {
  for (const Line line : kKinds) {
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
  for (const Line line : kKinds) {
    EXPECT_EQ(BitsForRate(line, 1), kMinMillibits);
    const double lowest = RateOf(line, kMaxMillibits);
    EXPECT_TRUE(BitsForRate(line, lowest).has_value());
    EXPECT_FALSE(BitsForRate(line, 0.999 * lowest).has_value());
    EXPECT_FALSE(BitsForRate(line, 0).has_value());
    EXPECT_FALSE(BitsForRate(line, std::numeric_limits<double>::quiet_NaN()));
  }
}

// Whatever rates the filters have: attackers control neither the time nor the
// memory of a filter for a rate.
TEST(SearchLineCountTest, EndsSoonWithNotManyMoreLines) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> logarithm(-10, 0);
  for (int i = 0; i < 5000; ++i) {
    const bool few = i % 2 == 0;
    const uint64_t keys =
        few ? 1 + random() % 65536 : 65537 + random() % 1000000;
    const uint32_t first = LinesFor(keys, 8030);
    int builds = 0;
    double lowest_rate = 1;
    double built_rate = 1;
    double kept_rate = 1;
    SearchLineCount(
        first, keys, 0.01, LogRatePerBit(Line::kSolved),
        [&](uint32_t lines) {
          EXPECT_GT(lines, 0);
          EXPECT_LE(lines, std::max(first + 2.0, 1.3 * first));
          ++builds;
          built_rate = std::exp(logarithm(random));
          lowest_rate = std::min(lowest_rate, built_rate);
          return built_rate;
        },
        [&] { kept_rate = built_rate; });
    EXPECT_LE(builds, few ? 8 : 2);
    EXPECT_LE(kept_rate, std::max(lowest_rate, 0.01));
  }
}

constexpr size_t kTrailer = 5;

size_t Exact(size_t bytes) { return bytes; }

// Multiples of 16 bytes minus the 8 bytes before each block, as in glibc.
size_t SixteenBytes(size_t bytes) { return (bytes + 8 + 15) / 16 * 16 - 8; }

// Four sizes to each power of two, as jemalloc has them.
size_t FourToADoubling(size_t bytes) {
  size_t step = 16;
  while (8 * step < bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

TEST(AllocationRoundingTest, WithSizesCloseTogetherNothingChanges) {
  for (const auto sizes : {Exact, SixteenBytes}) {
    AllocationRounding rounding(sizes);
    for (uint32_t lines = 1; lines < 5000; ++lines) {
      EXPECT_EQ(rounding.Round(Line::kSolved, lines * 51, lines,
                               kFilterBlockOverhead),
                lines);
    }
  }
}

struct Sums {
  double memory = 0;
  double rate = 0;  // times keys
};

void Add(Line line, uint64_t keys, uint32_t lines, Sums* sums) {
  sums->memory += static_cast<double>(FourToADoubling(
      BytesOfLines(line, lines) + kFilterBlockOverhead + kTrailer));
  sums->rate += static_cast<double>(keys) *
                ExpectedRate(line, MillibitsFor(lines, keys),
                             static_cast<double>(keys) / lines);
}

// Filters of all sizes: less memory at the same rate.
TEST(AllocationRoundingTest, WithSizesFarApartFiltersFillThem) {
  for (const Line line : kKinds) {
    for (const uint32_t millibits : {5000u, 10000u, 16000u}) {
      AllocationRounding rounding(FourToADoubling);
      std::mt19937_64 random(1);
      Sums without;
      Sums with;
      for (int i = 0; i < 1000; ++i) {
        const uint64_t keys = 500 + random() % 100000;
        const uint32_t lines = LinesFor(keys, millibits);
        const uint32_t rounded =
            rounding.Round(line, keys, lines, kFilterBlockOverhead);
        const size_t size =
            BytesOfLines(line, rounded) + kFilterBlockOverhead + kTrailer;
        EXPECT_LE(FourToADoubling(size) - size,
                  std::max<size_t>(2 * kLineBytes, size / 30));
        Add(line, keys, lines, &without);
        Add(line, keys, rounded, &with);
      }
      EXPECT_LT(with.memory, 0.96 * without.memory);
      EXPECT_LT(with.rate, 1.02 * without.rate);
      EXPECT_GT(with.rate, 0.95 * without.rate);
    }
  }
}

TEST(AllocationRoundingTest, OneLineIsNotTakenAway) {
  AllocationRounding rounding(
      [](size_t bytes) { return (bytes + 4095) / 4096 * 4096; });
  EXPECT_EQ(rounding.Round(Line::kSolved, 1, 1, kFilterBlockOverhead),
            LinesWithin(Line::kSolved, 4096 - kFilterBlockOverhead - kTrailer));
}

}  // namespace
}  // namespace linebloom
