#include "tools/io_compare/rows/lookups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/io_compare/rows/keys_in.h"

namespace linebloom::tools {
namespace {

Skew SkewOf(const std::string& text, uint64_t seed) {
  const auto skew = Skew::Parse(text, seed);
  EXPECT_TRUE(skew.ok()) << skew.status();
  return skew.value_or(Skew());
}

// Expects as many `keys` in each stretch of `skew` as its share, up to five
// standard deviations. `all` are the keys that they were drawn from, in order.
void ExpectSharesOf(const Skew& skew, const std::vector<std::string>& all,
                    std::vector<std::string> keys) {
  ASSERT_FALSE(keys.empty());
  std::sort(keys.begin(), keys.end());
  const auto size = static_cast<double>(all.size());
  const auto below = [&](double place) {
    const auto i = static_cast<size_t>(std::lround(place * size));
    const auto end = i == all.size()
                         ? keys.end()
                         : std::lower_bound(keys.begin(), keys.end(), all[i]);
    return static_cast<double>(end - keys.begin());
  };
  const auto n = static_cast<double>(keys.size());
  for (const Skew::Stretch& stretch : skew.stretches()) {
    const double expected = n * stretch.lookups;
    EXPECT_NEAR(below(stretch.end) - below(stretch.begin), expected,
                3 + 5 * std::sqrt(expected))
        << "from " << stretch.begin << " to " << stretch.end;
  }
}

TEST(ChooseLookupsTest, TakesTheAskedShareOfExistingKeys) {
  const std::vector<std::string> rows = KeysIn(NumberedKeys(5000, 2));
  const std::set<std::string> present(rows.begin(), rows.end());
  for (const double ratio : {0.0, 0.01, 0.3, 1.0}) {
    const Lookups lookups = ChooseLookups(
        {NumberedKeys(5000, 2), KeysBetween(5000, 2), Skew(), ratio, 1}, 1000);
    uint64_t existing = 0;
    for (const std::string& key : KeysIn(lookups.keys)) {
      existing += present.count(key);
    }
    EXPECT_EQ(existing, lookups.existing);
    EXPECT_EQ(existing, static_cast<uint64_t>(std::lround(1000 * ratio)));
  }
}

TEST(ChooseLookupsTest, ShrinksAtTheSameRatio) {
  // 99 missing keys allow 99 / 0.75 lookups.
  const Lookups lookups = ChooseLookups(
      {NumberedKeys(100, 2), KeysBetween(100, 2), Skew(), 0.25, 1}, 10'000);
  EXPECT_EQ(lookups.keys.size(), 132u);
  EXPECT_EQ(lookups.existing, 33u);
  EXPECT_EQ(
      ChooseLookups({{}, KeysBetween(100, 2), Skew(), 0, 1}, 50).keys.size(),
      50u);
  EXPECT_EQ(ChooseLookups({}, 50).keys.size(), 0u);
}

TEST(ChooseLookupsTest, FollowsASkew) {
  const Keys missing = KeysBetween(10'001, 101);
  const std::vector<std::string> all = KeysIn(missing);
  ASSERT_TRUE(std::is_sorted(all.begin(), all.end()));
  for (const char* text : {"80/20", "95/5", "50/50", "99.9/0.1", "zipf:0.99"}) {
    for (const uint64_t seed : {1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << text << ", seed " << seed);
      const Skew skew = SkewOf(text, seed);
      const Lookups lookups = ChooseLookups({{}, missing, skew, 0, seed}, 1000);
      const std::vector<std::string> keys = KeysIn(lookups.keys);
      EXPECT_EQ(keys.size(), 1000u);
      EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 1000u);
      ExpectSharesOf(skew, all, keys);
      // In no order of their own: the first half is spread like all.
      ExpectSharesOf(skew, all, {keys.begin(), keys.begin() + 500});
    }
  }
}

TEST(ChooseLookupsTest, ASkewLeavesExistingKeysAlone) {
  const Lookups lookups =
      ChooseLookups({NumberedKeys(5000, 101), KeysBetween(5000, 101),
                     SkewOf("99/1", 1), 0.5, 1},
                    1000);
  EXPECT_EQ(lookups.existing, 500u);
  const std::vector<std::string> rows = KeysIn(NumberedKeys(5000, 101));
  std::vector<std::string> existing;
  for (const std::string& key : KeysIn(lookups.keys)) {
    if (std::binary_search(rows.begin(), rows.end(), key)) {
      existing.push_back(key);
    }
  }
  EXPECT_EQ(existing.size(), 500u);
  ExpectSharesOf(SkewOf("50/50", 1), rows, existing);
}

TEST(ChooseLookupsTest, StopsWhereTheHotRangeHasNoMoreKeys) {
  // The hot range has 99 of 990 keys.
  const Lookups lookups = ChooseLookups(
      {NumberedKeys(100, 11), KeysBetween(100, 11), SkewOf("90/10", 1), 0.5, 1},
      10'000);
  EXPECT_GT(lookups.keys.size(), 160u);
  EXPECT_LT(lookups.keys.size(), 280u);
  EXPECT_NEAR(static_cast<double>(lookups.existing),
              static_cast<double>(lookups.keys.size()) / 2, 1);
}

TEST(RepeatedLookupsTest, AreSpreadLikeThoseMeasured) {
  LookupMix mix = {NumberedKeys(1001, 11), KeysBetween(1001, 11), Skew(), 0.25,
                   5};
  const std::vector<std::string> rows = KeysIn(mix.existing);
  for (const char* text : {"", "80/20", "zipf:0.99"}) {
    SCOPED_TRACE(text);
    mix.skew = SkewOf(text, 5);
    std::vector<std::string> found;
    std::vector<std::string> not_found;
    for (const std::string& key : KeysIn(RepeatedLookups(mix, 40'000))) {
      const bool exists = std::binary_search(rows.begin(), rows.end(), key);
      (exists ? found : not_found).push_back(key);
    }
    EXPECT_NEAR(static_cast<double>(found.size()), 10'000, 5 * 100);
    ExpectSharesOf(SkewOf("50/50", 5), rows, found);
    ExpectSharesOf(mix.skew, KeysIn(mix.missing), not_found);
  }
}

TEST(LookupsBetweenTest, AddsUpToAllOfThem) {
  const Keys rows = NumberedKeys(1000, 11);
  const std::string middle = rows.at(300);
  const rocksdb::Comparator& order = *rocksdb::BytewiseComparator();
  for (const char* text : {"", "80/20", "zipf:0.99"}) {
    const LookupMix mix = {rows, KeysBetween(1000, 11), SkewOf(text, 1)};
    const double below = LookupsBetween(mix, order, rows.at(0), middle);
    EXPECT_NEAR(below, mix.skew.LookupsBetween(0, 300.0 / 999), 1e-9) << text;
    EXPECT_NEAR(below + LookupsBetween(mix, order, middle, rows.at(999)), 1,
                1e-9)
        << text;
  }
}

}  // namespace
}  // namespace linebloom::tools
