// Keys, rows in levels, and lookups, however popular keys are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"
#include "tools/compare/keys.h"
#include "tools/compare/row_source.h"
#include "tools/compare/source_database.h"

namespace linebloom::tools {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> KeysIn(const Keys& keys) {
  std::vector<std::string> all;
  for (uint64_t i = 0; i < keys.size; ++i) all.push_back(keys.at(i));
  return all;
}
std::vector<std::string> KeysIn(const KeyList& keys) {
  return KeysIn(KeysOf(keys));
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

// The share of lookups that fall into each range, from many draws.
std::vector<double> SharesOf(const Popularity& popularity) {
  constexpr int kDraws = 1'000'000;
  std::vector<double> shares(popularity.ranges());
  for (int i = 0; i < kDraws; ++i) {
    shares[popularity.Draw((i + 0.5) / kDraws)] += 1.0 / kDraws;
  }
  return shares;
}

TEST(SkewTest, TheSeedMovesWhatIsHot) {
  // The i-th most popular range gets a share proportional to i^-0.99.
  std::vector<double> shares = SharesOf(Popularity(0.99, 1));
  EXPECT_NE(shares, SharesOf(Popularity(0.99, 2)));
  EXPECT_EQ(shares, SharesOf(Popularity(0.99, 1)));
  std::ranges::sort(shares, std::greater<>());
  EXPECT_NEAR(shares[0] * 1000, Popularity(0.99, 1).peak, 1e-2);
  for (const size_t i : {1, 9, 99}) {
    EXPECT_NEAR(shares[i] / shares[0], std::pow(i + 1.0, -0.99), 1e-4);
  }
}

TEST(SkewTest, RangesCoverAllKeys) {
  for (const uint64_t keys : {1u, 7u, 999u, 1000u, 12'345u}) {
    const Popularity popularity(0.99, 1);
    EXPECT_EQ(popularity.Begin(0, keys), 0);
    EXPECT_EQ(popularity.Begin(popularity.ranges(), keys), keys);
    EXPECT_EQ(Popularity().Begin(1, keys), keys);
  }
}

// Expects as many `keys` in each range of `popularity` as its share, up to five
// standard deviations. `all` are the keys that they were drawn from, in order.
void ExpectSharesOf(const Popularity& popularity,
                    const std::vector<std::string>& all,
                    std::vector<std::string> keys) {
  ASSERT_FALSE(keys.empty());
  std::sort(keys.begin(), keys.end());
  const auto below = [&](size_t range) {
    const uint64_t i = popularity.Begin(range, all.size());
    const auto end = i == all.size()
                         ? keys.end()
                         : std::lower_bound(keys.begin(), keys.end(), all[i]);
    return static_cast<double>(end - keys.begin());
  };
  const std::vector<double> shares = SharesOf(popularity);
  for (size_t range = 0; range < shares.size(); ++range) {
    const double expected = static_cast<double>(keys.size()) * shares[range];
    EXPECT_NEAR(below(range + 1) - below(range), expected,
                3 + 5 * std::sqrt(expected));
  }
}

TEST(DistinctLookupsTest, ShrinkAtTheSameRatio) {
  // 99 missing keys allow 99 / 0.75 lookups.
  const std::vector<std::string> keys = KeysIn(DistinctLookups(
      {NumberedKeys(100, 2), KeysBetween(100, 2), Popularity(), 0.25, 1},
      10'000));
  EXPECT_EQ(keys.size(), 132u);
  const std::vector<std::string> rows = KeysIn(NumberedKeys(100, 2));
  EXPECT_EQ(std::ranges::count_if(keys,
                                  [&](const std::string& key) {
                                    return std::ranges::count(rows, key) > 0;
                                  }),
            33);
  EXPECT_EQ(
      DistinctLookups({{}, KeysBetween(100, 2), Popularity(), 0, 1}, 50).size,
      50u);
  EXPECT_EQ(DistinctLookups({}, 50).size, 0u);
}

TEST(DistinctLookupsTest, AreDifferentAndSpreadEvenly) {
  const Keys missing = KeysBetween(10'001, 101);
  const std::vector<std::string> keys =
      KeysIn(DistinctLookups({{}, missing, Popularity(), 0, 1}, 1000));
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 1000u);
  // In no order of their own: the first half is spread like all.
  const std::vector<std::string> all = KeysIn(missing);
  for (const size_t count : {1000, 500}) {
    std::vector<std::string> some(keys.begin(), keys.begin() + count);
    std::ranges::sort(some);
    for (size_t tenth = 1; tenth < 10; ++tenth) {
      const auto below =
          std::ranges::lower_bound(some, all[all.size() * tenth / 10]) -
          some.begin();
      EXPECT_NEAR(below, count * tenth / 10, 10);
    }
  }
}

TEST(RepeatedLookupsTest, FollowASkew) {
  LookupMix mix = {NumberedKeys(1000, 11), KeysBetween(1001, 11), Popularity(),
                   0.25, 5};
  const std::vector<std::string> rows = KeysIn(mix.existing);
  for (const Popularity& popularity : {Popularity(), Popularity(0.99, 5)}) {
    mix.popularity = popularity;
    std::vector<std::string> found;
    std::vector<std::string> not_found;
    for (const std::string& key : KeysIn(RepeatedLookups(mix, 40'000))) {
      const bool exists = std::binary_search(rows.begin(), rows.end(), key);
      (exists ? found : not_found).push_back(key);
    }
    EXPECT_NEAR(static_cast<double>(found.size()), 10'000, 5 * 100);
    ExpectSharesOf(mix.popularity, rows, found);
    ExpectSharesOf(mix.popularity, KeysIn(mix.missing), not_found);
  }
}

}  // namespace
}  // namespace linebloom::tools
