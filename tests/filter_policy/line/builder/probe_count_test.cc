#include "filter_policy/line/builder/probe_count.h"

#include <gtest/gtest.h>

#include "filter_policy/line/line_probes.h"

namespace linebloom {
namespace {

TEST(ProbeCountTest, GrowsWithBitsAndStaysInRange) {
  int last = 1;
  for (uint32_t millibits = 500; millibits <= 30000; millibits += 100) {
    const int probes = PlainProbes(millibits);
    EXPECT_GE(probes, last);
    EXPECT_LE(probes, kMaxPlainProbes);
    last = probes;
  }
  last = kMaxSearchedProbes;
  for (int keys = 0; keys <= 1000; ++keys) {
    const int probes = SearchedProbes(keys);
    EXPECT_LE(probes, last);
    EXPECT_GE(probes, 1);
    last = probes;
  }
}

TEST(ProbeCountTest, UsualNumbers) {
  EXPECT_EQ(6, PlainProbes(10000));
  EXPECT_EQ(1, PlainProbes(1000));
  EXPECT_EQ(8, SearchedProbes(51));
  EXPECT_EQ(1, SearchedProbes(512));
}

}  // namespace
}  // namespace linebloom
