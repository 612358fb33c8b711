#include "filter_policy/line/solved_probes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

int FirstProbes(const SolvedPlan& plan) {
  return plan.rounds * (kWordsPerLine / plan.first_width);
}

TEST(SolvedPlanTest, StagesAddUpAndStartAtHigherColumns) {
  for (int total = kMinSolvedBase; total <= kMaxTotal; ++total) {
    SCOPED_TRACE(total);
    const SolvedPlan& plan = SolvedPlanOf(total);
    const int shared = plan.shared_probes;
    EXPECT_EQ(shared, FirstProbes(plan) + (plan.has_pairs ? 4 : 0) +
                          (plan.has_fours ? 2 : 0));
    EXPECT_GE(plan.rounds, 1);
    // The fourth byte of the fingerprint is the later stages'.
    EXPECT_LE(plan.rounds, 3);
    EXPECT_GE(plan.first_bound, 32);
    EXPECT_LE(plan.first_bound, plan.pairs_bound);
    EXPECT_LE(plan.pairs_bound, plan.fours_bound);
    EXPECT_LE(plan.fours_bound, 60);
    EXPECT_EQ(plan.has_pairs, plan.first_bound < plan.pairs_bound);
    EXPECT_EQ(plan.has_fours, plan.pairs_bound < plan.fours_bound);
    // Before the next stage begins, a stage has about as many columns as the
    // keys of a full line have equations in it.
    const auto columns = [&](int probes) {
      return static_cast<double>(kWordUnknowns) * probes * kPerProbe / total;
    };
    EXPECT_LE(plan.fours_bound, std::max(32.0, columns(shared) - 2));
    EXPECT_GE(plan.fours_bound, columns(shared) - 6);
    EXPECT_GE(plan.first_bound, columns(FirstProbes(plan)) - 6);
    // Each key has the line's probes or one more, and at most 2 in the last
    // stage.
    EXPECT_LE(shared * kPerProbe, total);
    EXPECT_GE(shared * kPerProbe, total - 2 * kPerProbe + 1);
    for (const uint64_t hash : RandomHashes(40, total)) {
      const int fraction = FractionOf(FingerprintOf(hash));
      const int probes = (total + fraction) / kPerProbe;
      EXPECT_GE(probes - shared, 0);
      EXPECT_LE(probes - shared, 2);
    }
  }
}

// Headers that share a plan are consecutive: builders try them together.
TEST(SolvedPlanTest, BoundsFallWhileTheStagesStay) {
  for (int total = kMinSolvedBase + 1; total <= kMaxTotal; ++total) {
    const SolvedPlan& before = SolvedPlanOf(total - 1);
    const SolvedPlan& plan = SolvedPlanOf(total);
    if (before.shared_probes != plan.shared_probes) {
      EXPECT_LT(before.shared_probes, plan.shared_probes) << total;
      continue;
    }
    EXPECT_LE(plan.first_bound, before.first_bound) << total;
    EXPECT_LE(plan.pairs_bound, before.pairs_bound) << total;
    EXPECT_LE(plan.fours_bound, before.fours_bound) << total;
  }
}

TEST(FoldPlanesTest, IsTheParityOfEachPlane) {
  for (const int width : {1, 2, 4}) {
    for (uint32_t parities = 0; parities < 512; ++parities) {
      uint32_t expected = 0;
      for (int w = 0; w < kWordsPerLine; ++w) {
        expected ^= (parities >> w & 1) << (w / width * width);
      }
      EXPECT_EQ(expected, FoldPlanes(parities, width)) << width;
    }
  }
}

// No bit of a fingerprint is compared twice.
TEST(FingerprintTest, StagesCompareDifferentBits) {
  uint32_t bits = 0;
  const auto compare = [&](Stage stage, int width) {
    for (int w = 0; w < kWordsPerLine; w += width) {
      const uint32_t bit = 1u << (FingerprintBit(stage) + w);
      EXPECT_EQ(0u, bits & bit);
      bits |= bit;
    }
  };
  compare(Stage::kPairs, 2);
  compare(Stage::kFours, 4);
  compare(Stage::kLast, 4);
  EXPECT_EQ(255u, bits);
}

TEST(FingerprintTest, RoundsAndFractionUseDifferentBits) {
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t fingerprint = uint64_t{1} << bit;
    int users = FractionOf(fingerprint) != 0;
    for (int round = 0; round < 4; ++round) {
      users += FingerprintOfRound(fingerprint, round) != 0;
    }
    EXPECT_EQ(bit >= 48 || (bit >= 40 && bit < 45) || (bit >= 20 && bit < 36),
              users == 1)
        << bit;
    EXPECT_LE(users, 1) << bit;
  }
}

TEST(FingerprintTest, ItsFirstBitsAreTheHash) {
  for (const uint64_t hash : RandomHashes(1000, 1)) {
    const uint64_t fingerprint = FingerprintOf(hash);
    EXPECT_EQ(FingerprintOfRound(fingerprint, 0), FirstFingerprintOf(hash));
    EXPECT_EQ(FingerprintOfRound(fingerprint, 1), SecondFingerprintOf(hash));
    EXPECT_EQ(FractionOf(fingerprint), FastFractionOf(hash));
  }
}

// The masks of a key's rounds are not linear in each other: no mask and its
// successor, 128 bits together, are the sum of others.
TEST(NextMaskTest, IsNotLinear) {
  std::vector<unsigned __int128> basis;
  for (const uint64_t mask : RandomHashes(110, 1)) {
    unsigned __int128 row =
        static_cast<unsigned __int128>(NextMask(mask)) << 64 | mask;
    for (const unsigned __int128 other : basis) {
      row = std::min(row, row ^ other);
    }
    ASSERT_TRUE(row != 0);
    basis.push_back(row);
  }
}

// The mean of 2^-k over keys, of which the fraction has one more probe.
TEST(SolvedLineRateTest, IsTheMeanOverKeys) {
  for (int total = kMinSolvedBase; total <= kMaxTotal; ++total) {
    double sum = 0;
    for (int fraction = 0; fraction < kPerProbe; ++fraction) {
      sum += std::pow(0.5, (total + fraction) / kPerProbe);
    }
    EXPECT_EQ(sum / kPerProbe, SolvedLineRate(total)) << total;
  }
}

}  // namespace
}  // namespace linebloom
