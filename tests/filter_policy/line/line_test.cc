#include "filter_policy/line/line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "filter_policy/line/line_builder.h"
#include "filter_policy/line/solved_probes.h"
#include "tests/filter_policy/line/line_cases.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

bool MatchesAll(const LineShape& shape, const LineBytes& line,
                const std::vector<uint64_t>& hashes) {
  return std::all_of(hashes.begin(), hashes.end(), [&](uint64_t hash) {
    return LineMayMatch(ChosenKernel(), shape, line, hash);
  });
}

class LineTest : public testing::TestWithParam<LineShape> {
 protected:
  const LineShape& shape() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Shapes, LineTest, testing::ValuesIn(AllShapes()),
                         [](const auto& test) { return NameOf(test.param); });

TEST_P(LineTest, MatchesEveryKeyItWasBuiltFrom) {
  EXPECT_TRUE(IsReadable(shape()));
  std::vector<Crowd> all;
  for (size_t keys = 0; keys <= 300; ++keys) {
    all.push_back({"random", RandomHashes(keys, keys)});
  }
  all.push_back({"random", RandomHashes(100000, 1)});
  for (const size_t keys : {2, 10, 30, 41, 51, 100, 200, 252}) {
    for (const Crowd& crowd : Crowds(keys)) all.push_back(crowd);
  }
  all.push_back({"extreme",
                 {0, 1, ~uint64_t{0}, uint64_t{1} << 63, 0xffffffff,
                  0xffffffff00000000}});
  for (const auto& [name, hashes] : all) {
    LineBytes line;
    const double rate = BuildLine(shape(), hashes, line.data());
    EXPECT_TRUE(MatchesAll(shape(), line, hashes))
        << hashes.size() << " keys, " << name;
    EXPECT_EQ(rate, RateOfLine(shape(), line.data()));
    EXPECT_GE(rate, 0);
    EXPECT_LE(rate, 1);
  }
}

// Lines of all plans wait for one another in random order, which changes none
// of them: also crowded ones, failing ones, and batches that are not full.
TEST(LineBuilderTest, BuildsManyLinesLikeEachAlone) {
  std::mt19937_64 random(3);
  for (const LineKernel* kernel : SupportedKernels()) {
    for (const LineShape& shape : AllShapes()) {
      std::vector<std::vector<uint64_t>> lines;
      for (const size_t keys : {0, 1, 7, 20, 41, 50, 64, 90, 130, 250, 253}) {
        for (const Crowd& crowd : Crowds(keys)) lines.push_back(crowd.hashes);
      }
      for (uint64_t i = 0; i < 300; ++i) {
        lines.push_back(RandomHashes(i % 4 == 0 ? random() % 255 : 30, i));
      }
      std::ranges::shuffle(lines, random);
      std::vector<LineBytes> together(lines.size());
      LineBuilder builder(shape, *kernel);
      for (size_t i = 0; i < lines.size(); ++i) {
        builder.Add(lines[i], together[i].data());
      }
      double rates = builder.Finish();
      for (size_t i = 0; i < lines.size(); ++i) {
        LineBytes alone;
        rates -= BuildLine(shape, lines[i], alone.data(), *kernel);
        EXPECT_EQ(alone, together[i]) << kernel->name << ", " << NameOf(shape)
                                      << ", " << lines[i].size() << " keys";
      }
      EXPECT_EQ(0, rates);
    }
  }
}

// What a kernel of 8 lanes is asked to solve, in numbers of lines. Of this
// thread.
thread_local std::vector<size_t> asked;

constexpr LineKernel kRecorder = {
    .name = "recorder",
    .plain = {},
    .solved = {},
    .lanes = 8,
    .solve_lines = [](const LineShape& shape,
                      std::span<UnsolvedLine* const> lines, SolveSpace* space) {
      asked.push_back(lines.size());
      for (size_t i = 0; i < lines.size(); ++i) {
        kScalarKernel.solve_lines(shape, lines.subspan(i, 1), space);
      }
    }};

// The lanes are full but for what is tried again, and none is paid for a line
// alone.
TEST(LineBuilderTest, FillsTheLanes) {
  for (const int bits_per_key : {4, 10, 20}) {
    asked.clear();
    constexpr uint32_t kLines = 2000;
    const uint64_t mean = 8 * kLineBytes / bits_per_key;
    LineBuilder builder(SolvedShape(mean * kLines, kLines), kRecorder);
    std::mt19937_64 random(1);
    std::poisson_distribution<size_t> keys(static_cast<double>(mean));
    std::vector<LineBytes> lines(kLines);
    for (LineBytes& line : lines) {
      builder.Add(RandomHashes(keys(random), random()), line.data());
    }
    const double full = static_cast<double>(std::ranges::count(asked, 8u));
    EXPECT_GE(full, 0.85 * static_cast<double>(asked.size())) << bits_per_key;
    builder.Finish();
    EXPECT_GT(std::ranges::min(asked), 1u);
  }
}

// However few of them have the same number of keys.
TEST(LineBuilderTest, FewLinesWait) {
  const LineShape shape = SolvedShape(51, 1);
  LineBuilder builder(shape, kRecorder);
  std::vector<LineBytes> lines(1000);
  size_t most = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    lines[i].fill(0xff);  // which no line of so few keys is
    builder.Add(RandomHashes(1 + i % 250, i), lines[i].data());
    LineBytes unwritten;
    unwritten.fill(0xff);
    most = std::max<size_t>(most, std::ranges::count(lines, unwritten));
  }
  EXPECT_LE(most, 128u);
  EXPECT_GE(most, 64u);
  builder.Finish();
}

// Words 0 and 2 have the bits of header 5: 2 probes and 10 / 32.
TEST(RateOfLineTest, IsThatOfTheHeader) {
  LineBytes line = {};
  line[7] = 0xc0;
  line[8] = 0x03;
  line[23] = 0x80;
  EXPECT_EQ(0.25 * (1 - 10.0 / 64),
            RateOfLine({LineKind::kSolved, 64, 2}, line.data()));
}

// Slices of very different sizes too, up to those where counts are cut off.
TEST(ChooseCodeTest, EvensOutLoads) {
  std::mt19937_64 random(1);
  const auto squares = [](const SliceCounts& counts, int code) {
    std::array<int64_t, kLinesPerGroup> loads = {};
    for (uint32_t line = 0; line < kLinesPerGroup; ++line) {
      for (uint32_t slice = 0; slice < kSlices; ++slice) {
        const bool moves = (code >> slice & 1) != 0;
        loads.at(moves ? OtherLine(line, slice) : line) += counts[line][slice];
      }
    }
    return std::inner_product(loads.begin(), loads.end(), loads.begin(),
                              int64_t{0});
  };
  for (const double keys_per_slice : {0.1, 1.0, 6.0, 20.0, 900.0}) {
    std::poisson_distribution<uint32_t> load(keys_per_slice);
    for (int i = 0; i < 20; ++i) {
      SliceCounts counts;
      for (auto& slices : counts) {
        for (size_t& count : slices) count = std::min(load(random), 1000u);
      }
      int best = 0;
      for (int code = 1; code < 256; ++code) {
        if (squares(counts, code) < squares(counts, best)) best = code;
      }
      EXPECT_EQ(best, ChooseCode(counts)) << keys_per_slice;
      if (keys_per_slice != 900.0) continue;
      counts[i % 8][i / 8] = 1000;
      const int cut_off = ChooseCode(counts);
      counts[i % 8][i / 8] = UINT32_MAX;
      EXPECT_EQ(cut_off, ChooseCode(counts));
    }
  }
}

// The shape depends only on the number of keys per line.
TEST(SolvedShapeTest, DependsOnlyOnTheMean) {
  for (uint64_t mean = 1; mean <= 300; ++mean) {
    const LineShape shape = SolvedShape(mean, 1);
    EXPECT_EQ(shape, SolvedShape(mean * 1000, 1000));
    EXPECT_EQ(shape, SolvedShape(mean * ~0u, ~0u));
  }
  for (const uint32_t lines : {1u, 2u, 1000u, ~0u}) {
    EXPECT_EQ((LineShape{LineKind::kSolved, kMinSolvedBase, 1}),
              SolvedShape(~uint64_t{0}, lines));
    EXPECT_EQ((LineShape{LineKind::kSolved, UINT8_MAX, kMaxSolvedStep}),
              SolvedShape(0, lines));
  }
}

}  // namespace
}  // namespace linebloom
