// Keys, rows in levels, and lookups.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "tools/compare/keys.h"
#include "tools/compare/layered_rows.h"
#include "tools/database/out_ptr.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

// Each missing key is another, between two rows.
TEST(KeysTest, GapsFollowDirectlyOnTheirRow) {
  for (const Keys& keys :
       {NumberedKeys(3), KeysOf({{"a", 1}, {"b", 2}, {"c", 0}})}) {
    ASSERT_EQ(keys.size, 3u);
    for (uint64_t row = 0; row < 2; ++row) {
      const Key key = keys.at(row, 0);
      EXPECT_TRUE(key.exists);
      std::set<std::string> missing;
      for (uint64_t gap = 1; gap <= kMaxGap; ++gap) {
        const Key next = keys.at(row, gap);
        EXPECT_FALSE(next.exists);
        EXPECT_EQ(next.family, key.family);
        missing.insert(next.text);
      }
      EXPECT_EQ(missing.size(), kMaxGap);
      EXPECT_GT(*missing.begin(), key.text);
      EXPECT_LT(*missing.rbegin(), keys.at(row + 1, 0).text);
    }
  }
  EXPECT_EQ(NumberedKeys(1'000'000'000).at(999'999'999, kMaxGap).text,
            "user999999999999");
}

// From as few rows as the flag allows.
TEST(LayOutRowsTest, HasSixRunsOverAllKeys) {
  Progress progress;
  for (const uint64_t count : {uint64_t{1000}, 100 * kSharesOfAllRuns}) {
    const std::string folder = testing::TempDir() + "/laid_out_rows";
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(LayOutRows(count, 3, folder, &progress).ok());
    std::unique_ptr<rocksdb::DB> db;
    ASSERT_TRUE(rocksdb::DB::OpenForReadOnly({}, folder, OutPtr(&db)).ok());
    rocksdb::TablePropertiesCollection properties;
    ASSERT_TRUE(db->GetPropertiesOfAllTables(&properties).ok());
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    std::map<std::pair<int, std::string>, uint64_t> runs;
    uint64_t all = 0;
    for (const rocksdb::LiveFileMetaData& file : files) {
      const uint64_t entries =
          properties[file.db_path + file.name]->num_entries;
      runs[{file.level, file.level == 0 ? file.name : ""}] += entries;
      all += entries;
    }
    EXPECT_EQ(all, count);
    ASSERT_EQ(runs.size(), 6u);
    const double share = static_cast<double>(count) / kSharesOfAllRuns;
    auto run = runs.begin();
    for (const double shares : {1, 1, 1, 4, 40, 400}) {
      EXPECT_NEAR((run++)->second, shares * share, shares);
    }
    for (uint64_t row = 0; row < count; row += count / 100) {
      std::string value;
      EXPECT_TRUE(
          db->Get({}, NumberedKeys(count).at(row, 0).text, &value).ok());
    }
  }
}

// Within five standard deviations.
TEST(LookupAtTest, AllKeysAreEquallyLikely) {
  LookupMix mix = {NumberedKeys(10), 0.25, 5};
  std::map<std::string, int> found;
  std::set<std::string> missing;
  for (uint64_t i = 0; i < 40'000; ++i) {
    const Key key = LookupAt(mix, i);
    key.exists ? static_cast<void>(++found[key.text])
               : static_cast<void>(missing.insert(key.text));
  }
  EXPECT_EQ(found.size(), 10u);
  for (const auto& [key, n] : found) EXPECT_NEAR(n, 1000, 5 * 31) << key;
  EXPECT_GT(missing.size(), 9'400u);  // of 9,990
  for (const double ratio : {0, 1}) {
    mix.hit_ratio = ratio;
    for (uint64_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(LookupAt(mix, i).exists, ratio == 1);
    }
  }
}

}  // namespace
}  // namespace linebloom::tools
