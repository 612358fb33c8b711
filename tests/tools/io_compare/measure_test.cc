#include "tools/io_compare/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tools/io_compare/rows/shape.h"

namespace linebloom::tools {
namespace {

using testing::HasSubstr;

TEST(ShapeTest, DescribesTheFirstDifference) {
  const FileShape top = {0, "a", "z", 10, 0};
  const FileShape bottom = {2, "b", "y", 100, 5};
  const Shape shape = {{top, bottom}};
  EXPECT_EQ(DescribeDifference(shape, "one", shape, "other"), "");

  EXPECT_EQ(DescribeDifference(shape, "one", {{top}}, "other"),
            "level 2 has 1 files with one and 0 with other");

  FileShape changed = bottom;
  changed.entries = 99;
  EXPECT_THAT(DescribeDifference(shape, "one", {{top, changed}}, "other"),
              HasSubstr("99 entries"));
  changed = bottom;
  changed.deletions = 6;
  EXPECT_NE(DescribeDifference(shape, "one", {{top, changed}}, "other"), "");
  changed = bottom;
  changed.largest_key = "x";
  EXPECT_THAT(DescribeDifference(shape, "one", {{top, changed}}, "other"),
              HasSubstr("to 'x'"));
}

TEST(ShapeTest, CountsSortedRuns) {
  const Shape shape = {{{0, "a", "z", 1, 0},
                        {0, "b", "y", 1, 0},
                        {2, "a", "m", 1, 0},
                        {2, "n", "z", 1, 0},
                        {5, "a", "z", 1, 0}}};
  EXPECT_EQ(shape.SortedRuns(), 4u);
  EXPECT_EQ(shape.Levels().size(), 6u);
  EXPECT_EQ(Shape().SortedRuns(), 0u);
}

TEST(SummarizeLatencyTest, FindsMeanAndPercentiles) {
  std::vector<uint32_t> nanoseconds;
  for (uint32_t i = 1; i <= 101; ++i) nanoseconds.push_back(1000 * i);
  const RoundTimes latency = SummarizeLatency(&nanoseconds);
  EXPECT_DOUBLE_EQ(latency.mean, 51);
  EXPECT_DOUBLE_EQ(latency.p50, 51);
  EXPECT_DOUBLE_EQ(latency.p99, 100);
  std::vector<uint32_t> one = {5000};
  EXPECT_DOUBLE_EQ(SummarizeLatency(&one).p99, 5);
}

TEST(LatencyHistogramTest, SaysWhichShareTookLonger) {
  LatencyHistogram histogram;
  EXPECT_TRUE(histogram.SlowerThan().empty());
  histogram.Add(std::vector<uint32_t>(97, 1024));
  histogram.Add({0, 1 << 20, ~uint32_t{0}});
  const auto points = histogram.SlowerThan();
  // At both ends of each class with lookups, except the last end.
  ASSERT_EQ(points.size(), 7u);
  EXPECT_DOUBLE_EQ(points[0].first, 0.001);
  EXPECT_DOUBLE_EQ(points[0].second, 1);
  EXPECT_DOUBLE_EQ(points[2].first, 1.024);
  EXPECT_DOUBLE_EQ(points[2].second, 0.99);
  EXPECT_NEAR(points[3].first, 1.024 * 1.044, 0.001);
  EXPECT_DOUBLE_EQ(points[3].second, 0.02);
  EXPECT_DOUBLE_EQ(points[4].first, 1048.576);
  EXPECT_DOUBLE_EQ(points[6].second, 0.01);
}

}  // namespace
}  // namespace linebloom::tools
