#include "filter_policy/rocksdb/policy_options.h"
#include "gtest/gtest.h"

namespace linebloom {
namespace {

TEST(ByteCountTest, RoundTrips) {
  EXPECT_EQ("512M", ByteCountText(512 << 20));
  EXPECT_EQ("1G", ByteCountText(1 << 30));
  EXPECT_EQ("1025M", ByteCountText((1 << 30) + (1 << 20)));
  EXPECT_EQ("1000", ByteCountText(1000));
  EXPECT_EQ("0", ByteCountText(0));
  EXPECT_EQ("16777215T", ByteCountText(UINT64_MAX >> 40 << 40));
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, uint64_t{1023},
                               uint64_t{3} << 33, UINT64_MAX}) {
    EXPECT_EQ(bytes, ParseByteCount(ByteCountText(bytes)));
  }
}

TEST(ByteCountTest, EitherCase) {
  EXPECT_EQ(2048u, ParseByteCount("2k"));
  EXPECT_EQ(2048u, ParseByteCount("2K"));
}

TEST(ByteCountTest, WhatIsNone) {
  for (const char* text :
       {"", "K", "-1", "+1", " 1", "1 K", "1.5G", "1KB", "1Mx", "0x10",
        "18446744073709551616", "16777216T"}) {
    EXPECT_FALSE(ParseByteCount(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace linebloom
