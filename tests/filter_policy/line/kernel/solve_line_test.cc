// Checks solved lines against a dense elimination of all their equations.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <memory>
#include <random>
#include <vector>

#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/solved_probes.h"
#include "tests/filter_policy/line/kernel/solve_oracle.h"
#include "tests/filter_policy/line/line_cases.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

class SolveLineTest : public testing::TestWithParam<LineShape> {
 protected:
  const LineShape& shape() const { return GetParam(); }
  int TotalOf(int header) const { return shape().base + shape().step * header; }

  // True if the line has no more probes than unknowns.
  bool Fits(const std::vector<uint64_t>& hashes, int header) const {
    return EquationsOf(hashes, TotalOf(header)).size() <= kLineUnknowns;
  }

  int Solve(const std::vector<uint64_t>& hashes, LineBytes* line) {
    return ChosenKernel().solve_line(shape(), hashes, space_.get(),
                                     line->data());
  }

 private:
  std::unique_ptr<SolveSpace> space_ = std::make_unique<SolveSpace>();
};

INSTANTIATE_TEST_SUITE_P(Shapes, SolveLineTest,
                         testing::Values(LineShape{Line::kSolved, 0, 64, 1},
                                         LineShape{Line::kSolved, 0, 64, 3},
                                         ShapeFor(5), ShapeFor(10),
                                         ShapeFor(16), ShapeFor(24)),
                         [](const auto& test) { return NameOf(test.param); });

// After bits were changed, a key still matches if each of its equations
// contains an even number of them.
TEST_P(SolveLineTest, ReadersTestTheEquations) {
  const auto may_match = ChosenKernel().solved.line_may_match;
  std::mt19937 random(1);
  int matches = 0;
  for (int keys = 1; keys <= kMaxSolvedKeys; keys += 1 + keys / 50) {
    const std::vector<uint64_t> hashes = RandomHashes(keys, keys);
    LineBytes line;
    const int header = Solve(hashes, &line);
    if (header == 0) continue;
    const std::vector<Equation> equations =
        EquationsOf(hashes[0], TotalOf(header));
    for (int i = 0; i < 1000; ++i) {
      std::bitset<8 * kLineBytes> changed;
      while (changed.count() <= size_t{i % 2 == 0}) {
        const uint32_t bit = random() % (8 * kLineBytes);
        changed[bit] = bit % 64 != 63;  // not the header's bits
      }
      LineBytes other = line;
      for (size_t bit = 0; bit < changed.size(); ++bit) {
        if (changed[bit]) other[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      }
      const bool expected = std::all_of(
          equations.begin(), equations.end(), [&](const Equation& equation) {
            return (equation.mask & changed).count() % 2 == 0;
          });
      matches += expected;
      ASSERT_EQ(expected,
                may_match({other.data(), 1, shape()}, other.data(), hashes[0]))
          << keys << " keys, bits " << changed;
    }
  }
  EXPECT_GT(matches, 1000);
}

TEST_P(SolveLineTest, LinesSatisfyTheirKeysEquations) {
  for (int keys = 1; keys <= kMaxSolvedKeys; keys += 3) {
    const std::vector<uint64_t> hashes = RandomHashes(keys, keys);
    LineBytes line;
    const int header = Solve(hashes, &line);
    if (header == 0) continue;
    const std::vector<Equation> equations =
        EquationsOf(hashes, TotalOf(header));
    EXPECT_TRUE(std::all_of(
        equations.begin(), equations.end(),
        [&](const Equation& equation) { return Holds(equation, line.data()); }))
        << keys;
    EXPECT_TRUE(HaveSolution(equations)) << keys;
  }
}

// Among the headers that share its plan, a line has the largest with a
// solution.
TEST_P(SolveLineTest, NoLargerHeaderHasASolution) {
  int larger_ones = 0;
  for (int i = 0; i < 300; ++i) {
    const int keys = 1 + i % 60 * (i % 60) / 14;
    const std::vector<uint64_t> hashes = RandomHashes(keys, i);
    LineBytes line;
    const int header = Solve(hashes, &line);
    if (header == 0) continue;
    const SolvedPlan& plan = SolvedPlanOf(TotalOf(header));
    for (int larger = header + 1;
         larger <= kMaxHeader && SolvedPlanOf(TotalOf(larger)) == plan &&
         Fits(hashes, larger);
         ++larger, ++larger_ones) {
      EXPECT_FALSE(HaveSolution(EquationsOf(hashes, TotalOf(larger))))
          << keys << " keys, header " << header << " for " << larger;
    }
  }
  EXPECT_GT(larger_ones, 20);
}

}  // namespace
}  // namespace linebloom
