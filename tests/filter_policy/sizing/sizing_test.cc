#include "filter_policy/sizing/sizing.h"

#include <gtest/gtest.h>

namespace linebloom {
namespace {

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

}  // namespace
}  // namespace linebloom
