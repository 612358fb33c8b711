// Keys, rows in levels, and lookups, skewed or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"
#include "tools/compare/keys.h"
#include "tools/compare/row_source.h"
#include "tools/compare/workload.h"

namespace linebloom::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> KeysIn(const Keys& keys) {
  std::vector<std::string> all;
  for (uint64_t i = 0; i < keys.size; ++i) all.push_back(keys.at(i));
  return all;
}
std::vector<std::string> KeysIn(const KeyList& keys) {
  return KeysIn(KeysOf(keys));
}

KeyList ListOf(const std::vector<std::string>& keys) {
  KeyList list;
  for (const std::string& key : keys) list.Add(key);
  return list;
}

TEST(KeysBetweenTest, LieBetweenRowsAndAreAllDifferent) {
  for (const uint64_t stride : {2, 3, 7}) {
    const std::vector<std::string> rows = KeysIn(NumberedKeys(100, stride));
    std::set<std::string> all(rows.begin(), rows.end());
    for (const std::string& key : KeysIn(KeysBetween(100, stride))) {
      EXPECT_TRUE(all.insert(key).second);
    }
    EXPECT_EQ(all.size(), 100 + 99 * (stride - 1));
    EXPECT_EQ(*all.begin(), rows.front());
    EXPECT_EQ(*all.rbegin(), rows.back());
  }
}

TEST(ReadKeyFileTest, TakesLinesAsTheyAre) {
  const TemporaryFolder folder;
  const std::string path =
      folder.Write("keys", std::string("b\r\n\n a \nb\0c\n", 12) + "last");
  const auto keys = ReadKeyFile("key_file", path);
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_THAT(KeysIn(*keys),
              ElementsAre("b", " a ", std::string("b\0c", 3), "last"));
}

TEST(HoldOutTest, MissingKeysLieInside) {
  for (const uint64_t nth : {2, 3, 10}) {
    const KeyList keys = SortedAndUnique(ListOf(KeysIn(NumberedKeys(100, 2))));
    const HeldOut split = HoldOut(keys, nth);
    EXPECT_NEAR(static_cast<double>(split.missing.size()),
                100.0 / static_cast<double>(nth), 1);
    EXPECT_EQ(split.rows[0], keys[0]);
    EXPECT_EQ(split.rows[split.rows.size() - 1], keys[99]);
    std::vector<std::string> both = KeysIn(split.rows);
    std::ranges::copy(KeysIn(split.missing), std::back_inserter(both));
    EXPECT_THAT(both, ::testing::UnorderedElementsAreArray(KeysIn(keys)));
  }
}

TEST(CompressionNameTest, OfEveryFormatVersion) {
  const std::pair<const char*, rocksdb::CompressionType> names[] = {
      {"Snappy", rocksdb::kSnappyCompression},
      {"LZ4HC", rocksdb::kLZ4HCCompression},
      {"ZSTD", rocksdb::kZSTD},
      // Since format_version 7.
      {"BuiltinV2;04;", rocksdb::kLZ4Compression},
      {"BuiltinV2;0407;", rocksdb::kLZ4Compression},
      // None, unknown or unsupported.
      {"NoCompression", rocksdb::kNoCompression},
      {"BuiltinV2;;", rocksdb::kNoCompression},
      {"lz4", rocksdb::kNoCompression},
      {"Mine;8A;", rocksdb::kNoCompression},
      {"Mine;x;", rocksdb::kNoCompression},
      {";", rocksdb::kNoCompression},
      {"", rocksdb::kNoCompression}};
  for (const auto& [name, type] : names) {
    EXPECT_EQ(CompressionByName(name), type) << name;
  }
}

// Also with the minimum of the flag, and that of key files.
TEST(LayeredRowsTest, PlansAboutWhatItReads) {
  for (const uint64_t count :
       {2 * kSharesOfAllRuns, uint64_t{1000}, 100 * kSharesOfAllRuns}) {
    const RowSource rows = LayeredRows(NumberedKeys(count, 2), 0, 3);
    std::map<int, uint64_t> entries;
    for (size_t file = 0; file < rows.files.size(); ++file) {
      rocksdb::WriteBatch batch;
      ASSERT_TRUE(
          rows.read(file, &batch, [] { return absl::OkStatus(); }).ok());
      entries[rows.files[file].level] += batch.Count();
      EXPECT_GE(batch.Count(), 2);
      EXPECT_NEAR(batch.Count(), static_cast<double>(rows.files[file].entries),
                  447);
    }
    const double share = static_cast<double>(count) / kSharesOfAllRuns;
    EXPECT_NEAR(entries[0], 3 * share, 3);
    EXPECT_NEAR(entries[1], 4 * share, 4);
    EXPECT_NEAR(entries[2], 40 * share, 40);
    EXPECT_NEAR(entries[3], 400 * share, 400);
    EXPECT_EQ(entries[0] + entries[1] + entries[2] + entries[3], count);
  }
}

Skew Parsed(const std::string& text, uint64_t seed) {
  const auto skew = Skew::Parse(text, seed);
  EXPECT_TRUE(skew.ok()) << skew.status();
  return skew.value_or(Skew());
}

TEST(SkewTest, StretchesCoverTheKeySpaceInOrder) {
  for (const char* text : {"", "80/20", "95/5", "99.9/0.1", "50/50", "30/12.5",
                           "99.9/99.9", "zipf:0.1", "zipf:0.99", "zipf:2"}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(::testing::Message() << text << ", seed " << seed);
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

TEST(SkewTest, TheSeedMovesWhatIsHot) {
  for (const auto& [text, peak] :
       std::map<std::string, double>{{"80/20", 4}, {"95/5", 19}}) {
    const Skew::Stretch hot = Parsed(text, 1).stretches()[1];
    EXPECT_NEAR(hot.lookups / (hot.end - hot.begin), peak, 1e-9);
    EXPECT_NEAR(Parsed(text, 1).Peak(), peak, 1e-9);
    EXPECT_EQ(Parsed(text, 1).InWords(), Parsed(text, 1).InWords());
    EXPECT_NE(Parsed(text, 1).InWords(), Parsed(text, 2).InWords());
  }
  // The i-th most popular range gets a share proportional to i^-0.99.
  const Skew zipf = Parsed("zipf:0.99", 1);
  std::vector<double> lookups;
  for (const Skew::Stretch& stretch : zipf.stretches()) {
    lookups.push_back(stretch.lookups);
  }
  EXPECT_NE(lookups[0], Parsed("zipf:0.99", 2).stretches()[0].lookups);
  std::ranges::sort(lookups, std::greater<>());
  for (const size_t i : {1, 9, 999}) {
    EXPECT_NEAR(lookups[0] / lookups[i], std::pow(i + 1.0, 0.99), 1e-6);
  }
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
      SCOPED_TRACE(::testing::Message() << text << ", seed " << seed);
      const Skew skew = Parsed(text, seed);
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

TEST(RepeatedLookupsTest, AreSpreadLikeThoseMeasured) {
  LookupMix mix = {NumberedKeys(1000, 11), KeysBetween(1001, 11), Skew(), 0.25,
                   5};
  const std::vector<std::string> rows = KeysIn(mix.existing);
  for (const char* text : {"", "80/20", "zipf:0.99"}) {
    SCOPED_TRACE(text);
    mix.skew = Parsed(text, 5);
    std::vector<std::string> found;
    std::vector<std::string> not_found;
    for (const std::string& key : KeysIn(RepeatedLookups(mix, 40'000))) {
      const bool exists = std::binary_search(rows.begin(), rows.end(), key);
      (exists ? found : not_found).push_back(key);
    }
    EXPECT_NEAR(static_cast<double>(found.size()), 10'000, 5 * 100);
    ExpectSharesOf(mix.skew, rows, found);
    ExpectSharesOf(mix.skew, KeysIn(mix.missing), not_found);
  }
}

}  // namespace
}  // namespace linebloom::tools
