#include "filter_policy/line/plain_probes.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace linebloom {
namespace {

TEST(PlainProbesTest, GrowWithBits) {
  int last = 1;
  for (uint32_t millibits = 0; millibits <= 64000; ++millibits) {
    const int probes = PlainProbes(millibits);
    // RocksDB takes 12 up to 25.5 bits, and 11 up to 26.
    EXPECT_GE(probes, millibits == 25502 ? last - 1 : last);
    EXPECT_LE(probes, last + 1);
    last = probes;
  }
  EXPECT_EQ(24, last);
  EXPECT_EQ(1, PlainProbes(0));
  EXPECT_EQ(6, PlainProbes(10000));
}

TEST(PlainLineOfTest, GrowsWithTheHashAndReachesAllLines) {
  for (const uint32_t lines : {1u, 3u, 1000u, ~0u}) {
    EXPECT_EQ(0u, PlainLineOf(0xffffffff, lines));
    EXPECT_EQ(lines - 1, PlainLineOf(~uint64_t{0}, lines));
  }
}

}  // namespace
}  // namespace linebloom
