#include "filter_policy/filter/allocation_rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"

namespace linebloom {
namespace {

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
      EXPECT_EQ(rounding.Round(lines * 51, lines, kFilterBlockOverhead), lines);
    }
  }
}

struct Sums {
  double memory = 0;
  double rate = 0;  // times keys
};

void Add(uint64_t keys, uint32_t lines, Sums* sums) {
  constexpr LineKind kLine = LineKind::kSolved;
  sums->memory += static_cast<double>(FourToADoubling(
      BytesOfLines(kLine, lines) + kFilterBlockOverhead + kTrailer));
  sums->rate += static_cast<double>(keys) *
                ExpectedRate(kLine, MillibitsPerKey(lines, keys),
                             static_cast<double>(keys) / lines);
}

// Filters of all sizes: less memory at the same rate.
TEST(AllocationRoundingTest, WithSizesFarApartFiltersFillThem) {
  for (const uint32_t millibits : {5000u, 10000u, 16000u}) {
    AllocationRounding rounding(FourToADoubling);
    std::mt19937_64 random(1);
    Sums without;
    Sums with;
    for (int i = 0; i < 1000; ++i) {
      const uint64_t keys = 500 + random() % 100000;
      const uint32_t lines = NumLinesForKeys(keys, millibits);
      const uint32_t rounded =
          rounding.Round(keys, lines, kFilterBlockOverhead);
      const size_t size = BytesOfLines(LineKind::kSolved, rounded) +
                          kFilterBlockOverhead + kTrailer;
      EXPECT_LE(FourToADoubling(size) - size,
                std::max<size_t>(2 * kLineBytes, size / 30));
      Add(keys, lines, &without);
      Add(keys, rounded, &with);
    }
    EXPECT_LT(with.memory, 0.96 * without.memory);
    EXPECT_LT(with.rate, 1.02 * without.rate);
    EXPECT_GT(with.rate, 0.95 * without.rate);
  }
}

// Half of its lines would be too few, however much others were given.
TEST(AllocationRoundingTest, NoFilterLosesMoreThanHalf) {
  AllocationRounding rounding([](size_t bytes) -> size_t {
    return bytes < 40 * kLineBytes ? 40 * kLineBytes : 128 * kLineBytes;
  });
  const uint32_t first = rounding.Round(10'000, 100, kFilterBlockOverhead);
  EXPECT_GT(first, 120u);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(first, rounding.Round(10'000, 100, kFilterBlockOverhead));
  }
}

TEST(AllocationRoundingTest, OneLineIsNotTakenAway) {
  AllocationRounding rounding([](size_t bytes) -> size_t {
    return bytes <= 64 ? 64 : (bytes + 4095) / 4096 * 4096;
  });
  rounding.Round(10'000, 100, kFilterBlockOverhead);  // leaves much to lose
  EXPECT_EQ(rounding.Round(1, 1, kFilterBlockOverhead), 63u);
}

}  // namespace
}  // namespace linebloom
