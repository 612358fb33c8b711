#include "filter_policy/bits/tree_model.h"

#include <gtest/gtest.h>

#include <vector>

namespace linebloom {
namespace {

using rocksdb::kCompactionStyleLevel;
using rocksdb::kCompactionStyleUniversal;

// With filters of 10 bits.
FileTotals FileOf(double rows) {
  return {.rows = rows,
          .keys = rows,
          .bits = 10 * rows,
          .files = 1,
          .index_bytes = rows,
          .data_blocks = rows / 10,
          .data_bytes = 40 * rows};
}

FileTotals WithoutFilter(double rows) {
  return {.rows = rows, .unfiltered = rows, .files = 1};
}

struct File {
  FileTotals totals;
  int level;
};

TreeState TreeOf(const std::vector<File>& files) {
  TreeState tree;
  for (const File& file : files) tree.Add(file.totals, file.level);
  return tree;
}

TEST(ModelOfTest, RunsOfATree) {
  const read_model::Tree tree =
      ModelOf(TreeOf({{FileOf(50), 0},
                      {FileOf(100), 0},
                      {FileOf(1000), 5},
                      {FileOf(10'000), 6},
                      {FileOf(9'000), 6},
                      {{.files = 1}, 0}}),  // of no rows, as far as known
              kCompactionStyleLevel);
  ASSERT_EQ(4u, tree.runs.size());
  EXPECT_TRUE(tree.runs[1].level0);
  EXPECT_EQ(100, tree.runs[1].files[0].rows);
  EXPECT_FALSE(tree.runs[2].level0);
  EXPECT_EQ(1000, tree.runs[2].files[0].index_bytes);
  double rows = 0;
  for (const read_model::Files& alike : tree.runs[3].files) {
    rows += alike.rows;
    EXPECT_EQ(alike.rows, alike.filter_keys);
    EXPECT_FALSE(alike.kept.has_value());
  }
  EXPECT_EQ(19'000, rows);
}

// Files of a family without a policy stay without filters.
TEST(ModelOfTest, FilesWithoutFilters) {
  const auto files = [](const FileTotals& file) {
    return ModelOf(TreeOf({{file, 6}}), kCompactionStyleLevel).runs[0].files[0];
  };
  EXPECT_FALSE(files(WithoutFilter(1000)).kept.has_value());
  const read_model::Files without = files({.rows = 1000, .files = 1});
  ASSERT_TRUE(without.kept.has_value());
  EXPECT_EQ(0, without.kept->bytes);
  EXPECT_EQ(1000, without.filter_keys);
  EXPECT_FALSE(files({.unknown = 1000, .files = 1}).kept.has_value());
  // Keys and prefixes of the rows that have a filter.
  FileTotals mixed = WithoutFilter(1000);
  mixed.Add({.rows = 500, .keys = 750, .files = 1});
  EXPECT_EQ(1500 * 1.5, files(mixed).filter_keys);
}

// A bulk load may leave thousands of files in level 0. Each is met by each
// lookup.
TEST(ModelOfTest, ManyFilesOfLevel0AreFewRuns) {
  const read_model::Tree tree =
      ModelOf(TreeOf(std::vector<File>(1000, {FileOf(100), 0})),
              kCompactionStyleUniversal);
  EXPECT_LE(tree.runs.size(), 24u);
  double met = 0;
  double rows = 0;
  for (const read_model::Run& run : tree.runs) {
    met += run.covered;
    rows += run.files[0].rows;
  }
  EXPECT_NEAR(1000, met, 1e-6);
  EXPECT_NEAR(100'000, rows, 1e-6);
}

}  // namespace
}  // namespace linebloom
