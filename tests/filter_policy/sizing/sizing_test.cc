#include "filter_policy/sizing/sizing.h"

#include <gtest/gtest.h>

namespace linebloom {
namespace {

TEST(SizingTest, LinesMeetTheRequestedBitsWithinOneLine) {
  for (const uint64_t keys :
       {1ull, 2ull, 51ull, 52ull, 1000ull, 12345ull, 10000000ull}) {
    for (uint32_t millibits = 1000; millibits <= 30000; millibits += 777) {
      const uint32_t lines = LinesFor(keys, millibits);
      const double bits = 512.0 * lines;
      const double asked = keys * (millibits / 1000.0);
      EXPECT_GE(bits, asked);
      EXPECT_LT(bits, asked + 512);
    }
  }
}

TEST(SizingTest, HugeFiltersStopAtFourGigabytes) {
  EXPECT_EQ(kMaxLines, LinesFor(uint64_t{1} << 40, 30000));
  EXPECT_EQ(kMaxLines, LinesFor(~uint64_t{0}, 30000));
}

TEST(SizingTest, LinesWithinIsTheInverseOfBytesOfLines) {
  for (const Line line : {Line::kPlain, Line::kSolved}) {
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

TEST(SizingTest, KeysForIsTheInverseOfLinesFor) {
  for (uint32_t lines = 1; lines < 5000; lines += 7) {
    for (const uint32_t millibits : {1000u, 4790u, 10000u, 16001u, 30000u}) {
      const uint64_t keys = KeysFor(lines, millibits);
      EXPECT_LE(LinesFor(keys, millibits), lines);
      EXPECT_GT(LinesFor(keys + 1, millibits), lines);
    }
  }
}

}  // namespace
}  // namespace linebloom
