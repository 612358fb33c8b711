#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "filter_policy/line/builder/line_builder.h"
#include "filter_policy/line/solved_probes.h"

namespace linebloom {
namespace {

// The most keys for which a line with this header has room.
double KeysAt(const LineShape& shape, int header) {
  return static_cast<double>(kLineUnknowns) * kPerProbe /
         (shape.base + shape.step * header);
}

TEST(SolvedShapeTest, HeadersCoverTheUsualLinesAndLittleMore) {
  constexpr uint32_t kLines = 10000;
  for (int tenths = 10; tenths <= 300; ++tenths) {
    const double bits_per_key = tenths / 10.0;
    const double mean = 8 * kLineBytes / bits_per_key;
    const LineShape shape =
        SolvedShape(static_cast<uint64_t>(mean * kLines), kLines);
    ASSERT_TRUE(IsReadable(shape)) << bits_per_key;
    const double sd = std::sqrt(mean);
    // Within the headers' range: a line of 16 keys has the most probes.
    const double most = std::min(mean + 5.5 * sd, 245.0);
    const double fewest = std::clamp(mean - 1.7 * sd, 16.0, 245.0);
    EXPECT_GE(KeysAt(shape, 1), most) << bits_per_key;
    EXPECT_LE(KeysAt(shape, kMaxHeader), fewest + 0.1) << bits_per_key;
    // Steps are no coarser than that requires.
    if (shape.step == 1 || tenths < 30) continue;
    const LineShape finer = {Line::kSolved, shape.base,
                             static_cast<uint8_t>(shape.step - 1)};
    EXPECT_GT(KeysAt(finer, kMaxHeader), std::max(mean - 1.8 * sd, 7.9))
        << bits_per_key;
  }
}

TEST(SolvedShapeTest, ExtremeLoadsHaveTheExtremeShapes) {
  const LineShape min = {Line::kSolved, kMinSolvedBase, 1};
  const LineShape max = {Line::kSolved, UINT8_MAX, kMaxSolvedStep};
  for (const uint32_t lines : {1u, 2u, 1000u, ~0u}) {
    EXPECT_EQ(min, SolvedShape(~uint64_t{0}, lines)) << lines;
    EXPECT_EQ(max, SolvedShape(0, lines)) << lines;
  }
}

// The shape depends only on the number of keys per line.
TEST(SolvedShapeTest, DependsOnlyOnTheMean) {
  for (uint64_t mean = 1; mean <= 300; ++mean) {
    const LineShape shape = SolvedShape(mean, 1);
    EXPECT_EQ(shape, SolvedShape(mean * 1000, 1000));
    EXPECT_EQ(shape, SolvedShape(mean * ~0u, ~0u));
  }
}

}  // namespace
}  // namespace linebloom
