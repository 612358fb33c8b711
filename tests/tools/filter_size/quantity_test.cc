#include "tools/filter_size/quantity.h"

#include <gtest/gtest.h>

namespace linebloom::tools {
namespace {

TEST(ParseCountTest, TakesNumbersAsPeopleWriteThem) {
  EXPECT_EQ(ParseCount("100000000"), 100'000'000u);
  EXPECT_EQ(ParseCount("100,000,000"), 100'000'000u);
  EXPECT_EQ(ParseCount("1e8"), 100'000'000u);
  EXPECT_EQ(ParseCount("100M"), 100'000'000u);
  EXPECT_EQ(ParseCount(" 1.5k "), 1500u);
  EXPECT_EQ(ParseCount("2g"), 2'000'000'000u);
  EXPECT_EQ(ParseCount("3T"), 3'000'000'000'000u);
  EXPECT_EQ(ParseCount("0"), 0u);
}

TEST(ParseCountTest, RefusesWhatIsNoCount) {
  for (const char* text : {"", "M", "ten", "-1", "1x", "1MM", "1MB", "nan",
                           "inf", "1e30", "10000000T", "1 M x", "0x"}) {
    EXPECT_EQ(ParseCount(text), std::nullopt) << text;
  }
}

TEST(ParseBytesTest, TellsPowersOf1000And1024Apart) {
  EXPECT_EQ(ParseBytes("114MiB"), 114u << 20);
  EXPECT_EQ(ParseBytes("114MB"), 114'000'000u);
  EXPECT_EQ(ParseBytes("114M"), 114'000'000u);
  EXPECT_EQ(ParseBytes("1.5GiB"), 1536u << 20);
  EXPECT_EQ(ParseBytes("64kib"), 64u << 10);
  EXPECT_EQ(ParseBytes("12B"), 12u);
  EXPECT_EQ(ParseBytes("4 KB"), 4000u);
}

TEST(ParseBytesTest, RefusesWhatIsNoSize) {
  for (const char* text : {"", "B", "iB", "12iB", "MiB", "12MiBB", "-1MB"}) {
    EXPECT_EQ(ParseBytes(text), std::nullopt) << text;
  }
}

TEST(ParseShareTest, TakesPercent) {
  EXPECT_DOUBLE_EQ(*ParseShare("0.01"), 0.01);
  EXPECT_DOUBLE_EQ(*ParseShare("1e-2"), 0.01);
  EXPECT_DOUBLE_EQ(*ParseShare("1%"), 0.01);
  EXPECT_DOUBLE_EQ(*ParseShare("0.5 %"), 0.005);
  for (const char* text : {"", "%", "1%%", "one", "nan", "inf%"}) {
    EXPECT_EQ(ParseShare(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace linebloom::tools
