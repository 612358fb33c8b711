#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "tools/io_compare/rows/lookups.h"

namespace linebloom::tools {
namespace {

using testing::HasSubstr;

Skew Parsed(const std::string& text, uint64_t seed) {
  const auto skew = Skew::Parse(text, seed);
  EXPECT_TRUE(skew.ok()) << skew.status();
  return skew.value_or(Skew());
}

TEST(SkewTest, StretchesCoverTheKeySpaceInOrder) {
  for (const char* text : {"", "80/20", "95/5", "99.9/0.1", "50/50", "30/12.5",
                           "99.9/99.9", "zipf:0.1", "zipf:0.99", "zipf:2"}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(testing::Message() << text << ", seed " << seed);
      const Skew skew = Parsed(text, seed);
      double end = 0;
      double lookups = 0;
      for (const Skew::Stretch& stretch : skew.stretches()) {
        EXPECT_DOUBLE_EQ(stretch.begin, end);
        EXPECT_GE(stretch.end, stretch.begin);
        EXPECT_GE(stretch.lookups, 0);
        end = stretch.end;
        lookups += stretch.lookups;
      }
      EXPECT_DOUBLE_EQ(end, 1);
      EXPECT_NEAR(lookups, 1, 1e-9);
      EXPECT_NEAR(skew.LookupsBetween(0, 1), 1, 1e-9);
    }
  }
}

TEST(SkewTest, AHotRangeIsWhereTheSeedPutsIt) {
  std::set<double> places;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Skew skew = Parsed("80/20", seed);
    ASSERT_EQ(skew.stretches().size(), 3u);
    const Skew::Stretch& hot = skew.stretches()[1];
    EXPECT_NEAR(hot.end - hot.begin, 0.2, 1e-12);
    EXPECT_NEAR(hot.lookups, 0.8, 1e-12);
    EXPECT_NEAR(skew.LookupsBetween(hot.begin, hot.begin + 0.05), 0.2, 1e-9);
    EXPECT_NEAR(skew.Peak(), 4, 1e-9);
    places.insert(hot.begin);
  }
  EXPECT_EQ(places.size(), 100u);
  EXPECT_LT(*places.begin(), 0.1);
  EXPECT_GT(*places.rbegin(), 0.7);
  EXPECT_EQ(Parsed("80/20", 1).InWords(), Parsed("80/20", 1).InWords());
}

TEST(SkewTest, ZipfsRangesAreShuffled) {
  const Skew skew = Parsed("zipf:0.99", 1);
  ASSERT_EQ(skew.stretches().size(), 1000u);
  std::vector<double> lookups;
  for (const Skew::Stretch& stretch : skew.stretches()) {
    EXPECT_NEAR(stretch.end - stretch.begin, 0.001, 1e-12);
    lookups.push_back(stretch.lookups);
  }
  EXPECT_FALSE(std::is_sorted(lookups.rbegin(), lookups.rend()));
  EXPECT_NE(lookups.front(), Parsed("zipf:0.99", 2).stretches()[0].lookups);
  std::sort(lookups.rbegin(), lookups.rend());
  for (const size_t i : {1, 9, 999}) {
    EXPECT_NEAR(lookups[0] / lookups[i],
                std::pow(static_cast<double>(i + 1), 0.99), 1e-6);
  }
  EXPECT_NEAR(skew.Peak(), 1000 * lookups[0], 1e-6);
}

TEST(SkewTest, DrawsEveryStretchForItsShare) {
  const Skew skew = Parsed("95/5", 3);
  double sum = 0;
  for (size_t i = 0; i < skew.stretches().size(); ++i) {
    if (skew.stretches()[i].lookups == 0) continue;
    EXPECT_EQ(skew.Draw(sum + 1e-9), i);
    sum += skew.stretches()[i].lookups;
    EXPECT_EQ(skew.Draw(sum - 1e-9), i);
  }
  EXPECT_EQ(skew.Draw(std::nextafter(1.0, 0.0)), skew.stretches().size() - 1);
}

TEST(SkewTest, RefusesAnythingElse) {
  for (const char* text :
       {"80",     "80/",    "/20",       "20/80",    "80/20/1",  "100/20",
        "80/0",   "80/-20", "0.05/0.05", "nan/20",   "80/nan",   "80%/20%",
        "zipf",   "zipf:",  "zipf:0",    "zipf:2.1", "zipf:nan", "zipf:inf",
        "Zipf:1", "hot",    " "}) {
    const auto skew = Skew::Parse(text, 1);
    ASSERT_FALSE(skew.ok()) << text;
    EXPECT_THAT(std::string(skew.status().message()),
                HasSubstr("--skew='" + std::string(text) +
                          "': must be A/B with 0.1 <= B <= A <= 99.9"));
  }
}

}  // namespace
}  // namespace linebloom::tools
