#include "filter_policy/bits/tree_model.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/filter_policy/tree/filtered_files.h"

namespace linebloom {
namespace {

TEST(ModelOfTest, RunsOfATree) {
  const read_model::Tree tree =
      ModelOf(TreeOf({{FilteredFile(50), 0},
                      {FilteredFile(100), 0},
                      {FilteredFile(5000), 5},
                      {FilteredFile(10'000), 6},
                      {FilteredFile(9'000), 6},
                      {{.files = 1}, 0}}));  // of no rows, as far as known
  ASSERT_EQ(4u, tree.runs.size());
  EXPECT_TRUE(tree.runs[1].level0);
  EXPECT_EQ(100, tree.runs[1].rows);
  EXPECT_FALSE(tree.runs[2].level0);
  EXPECT_EQ(5000, tree.runs[2].index_bytes);  // not as it would be at rest
  const read_model::Run& last = tree.runs[3];
  EXPECT_EQ(2, last.count);
  EXPECT_EQ(19'000, last.rows);
  EXPECT_EQ(19'000, last.filter_keys);
  // As they are.
  EXPECT_EQ(10 * 19'000 / 8, last.kept->bytes);
  EXPECT_NEAR(0.01, last.kept->rate, 1e-9);
}

// Files of a family without a policy stay without filters.
TEST(ModelOfTest, FilesWithoutFilters) {
  const auto tree = [](const FileTotals& file) {
    return ModelOf(TreeOf({{file, 6}}));
  };
  const auto run = [&](const FileTotals& file) {
    return read_model::Renewed({tree(file)})[0].runs[0];
  };
  EXPECT_EQ(0, tree(UnfilteredFile(1000)).runs[0].kept->bytes);
  EXPECT_EQ(1, tree(UnfilteredFile(1000)).runs[0].kept->rate);
  EXPECT_FALSE(run(UnfilteredFile(1000)).kept.has_value());
  const read_model::Run without =
      run({.rows = 1000, .passed = 1000, .files = 1});
  ASSERT_TRUE(without.kept.has_value());
  EXPECT_EQ(0, without.kept->bytes);
  EXPECT_EQ(1, without.kept->rate);
  EXPECT_EQ(1000, without.filter_keys);
  EXPECT_FALSE(run({.unknown = 1000, .files = 1}).kept.has_value());
  EXPECT_EQ(1, tree({.unknown = 1000, .files = 1}).runs[0].kept->rate);
  // Keys and prefixes of the rows that have a filter.
  FileTotals mixed = UnfilteredFile(1000);
  mixed.Add({.rows = 500, .keys = 750, .passed = 5, .files = 1});
  EXPECT_EQ(1500 * 1.5, run(mixed).filter_keys);
  EXPECT_EQ(1005.0 / 1500, tree(mixed).runs[0].kept->rate);
  // Files that were written before the family had a policy get filters too.
  TreeState later = TreeOf({{FilteredFile(1000), 5},
                            {{.rows = 9000, .passed = 9000, .files = 1}, 6}});
  const auto renewed = read_model::Renewed({ModelOf(later)});
  for (const read_model::Run& later_run : renewed[0].runs) {
    EXPECT_FALSE(later_run.kept.has_value());
  }
}

TEST(TreeStateTest, RemovesTheFileThatIsMeant) {
  TreeState tree = TreeOf({{UnfilteredFile(9), 0}, {FilteredFile(9), 0}});
  tree.Remove(FilteredFile(9), 0);
  EXPECT_EQ(tree.level0[0].bits, 0);
}

// A bulk load may leave thousands of files in level 0. Each is met by each
// lookup.
TEST(ModelOfTest, ManyFilesOfLevel0AreFewRuns) {
  const read_model::Tree tree =
      ModelOf(TreeOf(std::vector<PlacedFile>(1000, {FilteredFile(100), 0})));
  EXPECT_LE(tree.runs.size(), 24u);
  double met = 0;
  double rows = 0;
  for (const read_model::Run& run : tree.runs) {
    met += run.covered;
    rows += run.rows;
  }
  EXPECT_NEAR(1000, met, 1e-6);
  EXPECT_NEAR(100'000, rows, 1e-6);
}

}  // namespace
}  // namespace linebloom
