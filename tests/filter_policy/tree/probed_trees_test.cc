#include "filter_policy/tree/probed_trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "filter_policy/filter/sizing.h"
#include "tests/filter_policy/tree/filtered_files.h"

namespace linebloom {
namespace {

// Lookups in some trees, and what they probe there.
struct Probes {
  double all = 0;
  double positive = 0;
};

// In runs of so many rows, the newest first, with filters of 10 bits.
Probes LookUp(const std::vector<double>& runs, double hit_share, int lookups,
              std::mt19937* random) {
  std::discrete_distribution<size_t> run_of_row(runs.begin(), runs.end());
  std::bernoulli_distribution false_positive(0.01);
  std::bernoulli_distribution hits(hit_share);
  Probes probes;
  for (int i = 0; i < lookups; ++i) {
    const bool hit = hits(*random);
    const size_t last = hit ? run_of_row(*random) : runs.size() - 1;
    for (size_t run = 0; run <= last; ++run) {
      ++probes.all;
      if ((hit && run == last) || false_positive(*random)) ++probes.positive;
    }
  }
  return probes;
}

TEST(ProbedTreesTest, FindTheShareThatHits) {
  ProbedTrees trees;
  trees.Add(TreeOf({{FilteredFile(1e4), 0},
                    {FilteredFile(1e4), 0},
                    {FilteredFile(1e5), 2},
                    {FilteredFile(1e6), 3}}));
  trees.Add(TreeOf({{FilteredFile(2e5), 0}, {FilteredFile(8e5), 6}}));
  std::mt19937 random(1);
  for (const double share : {0.0, 0.03, 0.5, 1.0}) {
    // By rows.
    Probes probes = LookUp({1e4, 1e4, 1e5, 1e6}, share, 112'000, &random);
    const Probes more = LookUp({2e5, 8e5}, share, 100'000, &random);
    probes.all += more.all;
    probes.positive += more.positive;
    const Lookups lookups = trees.Behind(probes.all, probes.positive);
    EXPECT_NEAR(1, lookups.all / 212'000, 0.02) << share;
    EXPECT_NEAR(share, lookups.hits / lookups.all, 0.01) << share;
    const double share_seen = lookups.hits / lookups.all;
    const HitRange hits = trees.Hits(lookups.all, {share_seen, share_seen});
    EXPECT_LE(hits.least, share);
    EXPECT_GE(hits.most, share);
    EXPECT_NEAR(hits.least, share, 0.02);
    EXPECT_NEAR(hits.most, share, 0.02);
  }
}

TEST(ProbedTreesTest, FewProbesSayLittle) {
  ProbedTrees trees;
  trees.Add(TreeOf({{FilteredFile(1e4), 5}, {FilteredFile(1e5), 6}}));
  EXPECT_EQ(0, trees.Behind(0, 0).all);
  for (const double sampled : {0.0, 10.0, 1000.0}) {
    const HitRange none = trees.Hits(sampled, {0, 0});
    EXPECT_EQ(0, none.least);
    EXPECT_GE(none.most, std::min(1.0, 1 / (sampled + 1))) << sampled;
    const HitRange half = trees.Hits(sampled, {0.4, 0.6});
    EXPECT_LT(half.least, 0.39);
    EXPECT_GT(half.most, 0.61);
  }
  EXPECT_EQ(1, trees.Hits(0, {0, 0}).most);
  EXPECT_LE(trees.Hits(1000, {0, 0}).most, 0.01);
  // A lookup meets both runs, and 1 % is false in each.
  EXPECT_NEAR(2 * std::sqrt(0.02e5) / 1e5, trees.Hits(1e5, {0, 0}).most, 1e-5);
  // Fewer positives than are false on average.
  EXPECT_LT(trees.Behind(1e5, 0).hits, 0);
  EXPECT_EQ(0, trees.Hits(1e5, {-0.01, -0.01}).least);
}

TEST(ProbedTreesTest, KnowWhatTheyCannotTell) {
  const std::vector<PlacedFile> files = {{FilteredFile(1000), 5}};
  const auto hits = [&](const PlacedFile& more) {
    ProbedTrees trees;
    trees.Add(TreeOf({files[0], more}));
    return trees.Hits(1e5, {0.5, 0.5});
  };
  EXPECT_GT(hits({FilteredFile(10'000), 6}).least, 0.49);
  EXPECT_LT(hits({FilteredFile(10'000), 6}).most, 0.51);
  EXPECT_GT(hits({UnfilteredFile(50), 6}).least, 0.4);
  // Hits go unseen.
  EXPECT_EQ(0, hits({UnfilteredFile(200), 6}).least);
  EXPECT_EQ(1, hits({UnfilteredFile(200), 6}).most);
  // A positive may be one of several of a row, or of a scan.
  FileTotals merged = FilteredFile(10'000);
  merged.ambiguous = 10'000;
  EXPECT_EQ(0, hits({merged, 6}).least);
  EXPECT_EQ(hits({FilteredFile(10'000), 6}).most, hits({merged, 6}).most);
  ProbedTrees nothing;
  EXPECT_EQ(1, nothing.Hits(1e5, {0, 0}).most);
}

}  // namespace
}  // namespace linebloom
