#include "tools/io_compare/rows/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/io_compare/rows/keys_in.h"
#include "tests/tools/run_program.h"

namespace linebloom::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

KeyList ListOf(const std::vector<std::string>& keys) {
  KeyList list;
  for (const std::string& key : keys) list.Add(key);
  return list;
}

TEST(KeysBetweenTest, LieBetweenRowsAndAreAllDifferent) {
  for (const uint64_t stride : {2, 3, 7}) {
    const std::vector<std::string> rows = KeysIn(NumberedKeys(100, stride));
    const std::vector<std::string> between = KeysIn(KeysBetween(100, stride));
    const std::set<std::string> present(rows.begin(), rows.end());
    const std::set<std::string> missing(between.begin(), between.end());
    EXPECT_EQ(missing.size(), 99 * (stride - 1));
    EXPECT_EQ(between.size(), missing.size());
    for (const std::string& key : missing) {
      EXPECT_EQ(present.count(key), 0u);
      EXPECT_GT(key, rows.front());
      EXPECT_LT(key, rows.back());
    }
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

TEST(SortedAndUniqueTest, SortsByBytes) {
  EXPECT_THAT(KeysIn(SortedAndUnique(ListOf({"b", "a", "\xff", "b", "aa"}))),
              ElementsAre("a", "aa", "b", "\xff"));
}

TEST(HoldOutTest, MissingKeysLieInside) {
  for (const uint64_t nth : {2, 3, 10}) {
    const KeyList keys = SortedAndUnique(ListOf(KeysIn(NumberedKeys(100, 2))));
    const HeldOut split = HoldOut(keys, nth);
    EXPECT_EQ(split.rows.size() + split.missing.size(), keys.size());
    EXPECT_NEAR(static_cast<double>(split.missing.size()),
                100.0 / static_cast<double>(nth), 1);
    EXPECT_EQ(split.rows[0], keys[0]);
    EXPECT_EQ(split.rows[split.rows.size() - 1], keys[99]);
    std::set<std::string> both;
    for (const std::string& key : KeysIn(split.rows)) both.insert(key);
    for (const std::string& key : KeysIn(split.missing)) {
      EXPECT_TRUE(both.insert(key).second);
    }
  }
}

}  // namespace
}  // namespace linebloom::tools
