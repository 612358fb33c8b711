// Keys, rows in levels, and lookups.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/compare/keys.h"
#include "tools/compare/row_source.h"
#include "tools/compare/source_database.h"

namespace linebloom::tools {
namespace {

std::vector<std::string> KeysIn(const Keys& keys) {
  std::vector<std::string> all;
  for (uint64_t i = 0; i < keys.size; ++i) all.push_back(keys.at(i));
  return all;
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

TEST(CompressionNameTest, OfEveryFormatVersion) {
  const std::pair<const char*, rocksdb::CompressionType> names[] = {
      {"LZ4HC", rocksdb::kLZ4HCCompression},
      {"ZSTD", rocksdb::kZSTD},
      // Since format_version 7.
      {"BuiltinV2;0407;", rocksdb::kLZ4Compression},
      // None, unknown or unsupported.
      {"NoCompression", rocksdb::kNoCompression},
      {"BuiltinV2;;", rocksdb::kNoCompression},
      {"lz4", rocksdb::kNoCompression},
      {"Mine;8A;", rocksdb::kNoCompression},
      {"", rocksdb::kNoCompression}};
  for (const auto& [name, type] : names) {
    EXPECT_EQ(CompressionByName(name), type) << name;
  }
}

// From fewer than the flag allows.
TEST(LayeredRowsTest, PlansAboutWhatItReads) {
  for (const uint64_t count :
       {2 * kSharesOfAllRuns, uint64_t{1000}, 100 * kSharesOfAllRuns}) {
    const RowSource rows = LayeredRows(NumberedKeys(count, 2), 3);
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

TEST(DistinctLookupsTest, ShrinkAtTheSameRatio) {
  // 99 missing keys allow 99 / 0.75 lookups.
  Lookups lookups = DistinctLookups(
      {NumberedKeys(100, 2), KeysBetween(100, 2), 0.25, 1}, 10'000);
  const std::vector<std::string> keys = KeysIn(lookups.keys);
  EXPECT_EQ(keys.size(), 132u);
  EXPECT_EQ(lookups.existing, 33u);
  const std::vector<std::string> rows = KeysIn(NumberedKeys(100, 2));
  EXPECT_EQ(std::ranges::count_if(keys,
                                  [&](const std::string& key) {
                                    return std::ranges::count(rows, key) > 0;
                                  }),
            33);
  EXPECT_EQ(DistinctLookups({}, 50).keys.size, 0u);
  // In floating point 100 * 0.29 is less than 29.
  lookups = DistinctLookups(
      {NumberedKeys(100, 3), KeysBetween(100, 3), 0.29, 1}, 100);
  EXPECT_EQ(lookups.existing, 29u);
}

TEST(DistinctLookupsTest, AreDifferentAndSpreadEvenly) {
  const Keys missing = KeysBetween(10'001, 101);
  const std::vector<std::string> keys =
      KeysIn(DistinctLookups({{}, missing, 0, 1}, 1000).keys);
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

// Within five standard deviations.
TEST(RepeatedLookupsTest, AllKeysAreEquallyLikely) {
  const std::vector<std::string> rows = KeysIn(NumberedKeys(10, 11));
  std::map<std::string, int> found;
  int missing = 0;
  for (const std::string& key :
       KeysIn(RepeatedLookups(
                  {NumberedKeys(10, 11), KeysBetween(10, 11), 0.25, 5}, 40'000)
                  .keys)) {
    std::ranges::binary_search(rows, key) ? ++found[key] : ++missing;
  }
  EXPECT_NEAR(missing, 30'000, 5 * 87);
  EXPECT_EQ(found.size(), rows.size());
  for (const auto& [key, count] : found)
    EXPECT_NEAR(count, 1000, 5 * 31) << key;
}

}  // namespace
}  // namespace linebloom::tools
