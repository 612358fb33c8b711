#include "filter_policy/line/builder/probe_count.h"

#include <gtest/gtest.h>

#include "filter_policy/line/plain_probes.h"

namespace linebloom {
namespace {

TEST(ProbeCountTest, GrowsWithBitsAndStaysInRange) {
  int last = 1;
  for (uint32_t millibits = 0; millibits <= 64000; millibits += 100) {
    const int probes = PlainProbes(millibits);
    EXPECT_GE(probes, last);
    EXPECT_LE(probes, kMaxPlainProbes);
    last = probes;
  }
  EXPECT_EQ(kMaxPlainProbes, last);
}

TEST(ProbeCountTest, UsualNumbers) {
  EXPECT_EQ(1, PlainProbes(1000));
  EXPECT_EQ(6, PlainProbes(10000));
}

}  // namespace
}  // namespace linebloom
