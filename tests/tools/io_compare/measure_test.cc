#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tools/io_compare/database.h"

namespace linebloom::tools {
namespace {

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
