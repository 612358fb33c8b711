#include "filter_policy/line/line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "filter_policy/line/builder/line_builder.h"
#include "filter_policy/line/line_probes.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

using LineBytes = std::array<uint8_t, kLineBytes>;

bool LineMayMatch(const LineShape& shape, const uint8_t* line, uint64_t hash) {
  const LineKernel& kernel = ChosenKernel();
  return (shape.kind == LineKind::kPlain ? kernel.plain : kernel.solved)
      .line_may_match(shape, line, hash);
}

// Every kind of line that a builder makes, by name.
struct BuilderCase {
  const char* name;
  LineBuilder (*make)();
};

void PrintTo(const BuilderCase& builder, std::ostream* out) {
  *out << builder.name;
}

class LineTest : public testing::TestWithParam<BuilderCase> {};

INSTANTIATE_TEST_SUITE_P(
    Kinds, LineTest,
    testing::Values(
        BuilderCase{"Plain1", [] { return LineBuilder::Plain(1); }},
        BuilderCase{"Plain6", [] { return LineBuilder::Plain(6); }},
        BuilderCase{"Plain16", [] { return LineBuilder::Plain(16); }},
        BuilderCase{"Fast",
                    [] {
                      return LineBuilder::Searched(
                          {.rotation_bits = 3, .beam = 1, .rounds = 0});
                    }},
        BuilderCase{"Balanced",
                    [] {
                      return LineBuilder::Searched(
                          {.rotation_bits = 2, .beam = 1, .rounds = 2});
                    }},
        BuilderCase{"Max",
                    [] {
                      return LineBuilder::Searched(
                          {.rotation_bits = 1, .beam = 8, .rounds = 2});
                    }},
        BuilderCase{"NoRotation",
                    [] {
                      return LineBuilder::Searched(
                          {.rotation_bits = 1, .beam = 1, .rounds = 0});
                    }},
        BuilderCase{"OnlyRotation",
                    [] {
                      return LineBuilder::Searched(
                          {.rotation_bits = 3, .beam = 3, .rounds = 1});
                    }}),
    [](const auto& test) { return test.param.name; });

TEST_P(LineTest, MatchesEveryKeyItWasBuiltFrom) {
  LineBuilder builder = GetParam().make();
  for (const size_t keys : {1, 2, 3, 10, 25, 51, 100, 300, 1000}) {
    const std::vector<uint64_t> hashes = RandomHashes(keys, keys);
    LineBytes line;
    builder.Build(hashes, line.data());
    ASSERT_TRUE(IsReadable(builder.shape()));
    for (const uint64_t hash : hashes) {
      EXPECT_TRUE(LineMayMatch(builder.shape(), line.data(), hash));
    }
  }
}

TEST_P(LineTest, WithoutKeysMatchesNothing) {
  LineBuilder builder = GetParam().make();
  LineBytes line;
  EXPECT_EQ(0.0, builder.Build({}, line.data()));
  for (const uint64_t hash : RandomHashes(1000, 1)) {
    EXPECT_FALSE(LineMayMatch(builder.shape(), line.data(), hash));
  }
}

// Extreme hashes reach the first and last group, window and bit.
TEST_P(LineTest, MatchesExtremeHashes) {
  LineBuilder builder = GetParam().make();
  const std::vector<uint64_t> hashes = {
      0, 1, ~uint64_t{0}, uint64_t{1} << 63, 0xffffffff, 0xffffffff00000000};
  LineBytes line;
  builder.Build(hashes, line.data());
  for (const uint64_t hash : hashes) {
    EXPECT_TRUE(LineMayMatch(builder.shape(), line.data(), hash)) << hash;
  }
}

TEST_P(LineTest, BytesDoNotDependOnOrderOrRepeats) {
  LineBuilder builder = GetParam().make();
  std::vector<uint64_t> hashes = RandomHashes(40, 7);
  LineBytes line;
  builder.Build(hashes, line.data());
  std::reverse(hashes.begin(), hashes.end());
  LineBytes reversed;
  builder.Build(hashes, reversed.data());
  EXPECT_EQ(line, reversed);
}

// The rate that a line states of itself is what strangers measure. 4 million
// strangers know rates of a few per cent to about 1 %.
TEST_P(LineTest, StatesItsExactRate) {
  LineBuilder builder = GetParam().make();
  LineBytes line;
  const double rate = builder.Build(RandomHashes(90, 11), line.data());
  constexpr int kStrangers = 4000000;
  int matches = 0;
  std::mt19937_64 random(12);
  for (int i = 0; i < kStrangers; ++i) {
    matches += LineMayMatch(builder.shape(), line.data(), random());
  }
  const double deviation = std::sqrt(rate / kStrangers);
  EXPECT_NEAR(rate, static_cast<double>(matches) / kStrangers,
              5 * deviation + 1e-6);
}

TEST(SearchedLineTest, ReservedNumbersOfProbesMatchEverything) {
  const LineShape shape{LineKind::kSolved, 0, 64, 3};
  for (const uint64_t probes : {0, 15}) {
    LineBytes line{};
    line[7] = static_cast<uint8_t>(probes << 4);
    for (const uint64_t hash : RandomHashes(100, 3)) {
      EXPECT_TRUE(LineMayMatch(shape, line.data(), hash));
    }
  }
}

TEST(LineShapeTest, OnlyWhatBuildersMakeIsReadable) {
  EXPECT_TRUE(IsReadable({LineKind::kPlain, 1, 0}));
  EXPECT_TRUE(IsReadable({LineKind::kPlain, 16, 0}));
  EXPECT_FALSE(IsReadable({LineKind::kPlain, 0, 0}));
  EXPECT_FALSE(IsReadable({LineKind::kPlain, 17, 0}));
  EXPECT_FALSE(IsReadable({LineKind::kPlain, 6, 0, 1}));
  EXPECT_TRUE(IsReadable({LineKind::kSolved, 0, 255, 3}));
  EXPECT_FALSE(IsReadable({LineKind::kSolved, 0, 63, 1}));
  EXPECT_FALSE(IsReadable({LineKind::kSolved, 0, 64, 0}));
  EXPECT_FALSE(IsReadable({LineKind::kSolved, 1, 64, 1}));
  EXPECT_FALSE(IsReadable({static_cast<LineKind>(0), 6, 0}));
  EXPECT_FALSE(IsReadable({static_cast<LineKind>(3), 6, 0}));
}

TEST(LineOfTest, SpreadsEvenlyAndInOrder) {
  constexpr uint32_t kLines = 10;
  std::array<int, kLines> load{};
  std::vector<uint64_t> hashes = RandomHashes(100000, 5);
  std::sort(hashes.begin(), hashes.end());
  uint32_t last = 0;
  for (const uint64_t hash : hashes) {
    const uint32_t line = LineOf(hash, kLines);
    ASSERT_LT(line, kLines);
    ASSERT_GE(line, last);
    last = line;
    ++load[line];
  }
  for (const int keys : load) EXPECT_NEAR(10000, keys, 500);
}

// Each word, group and window is used, and about equally.
TEST(ProbesTest, CoverTheLineEvenly) {
  std::array<int, kGroups> groups{};
  std::array<int, kSearchedWords> windows{};
  std::array<int, 64> bits{};
  const std::vector<uint64_t> hashes = RandomHashes(640000, 6);
  for (const uint64_t hash : hashes) {
    const GroupAndWindow at = GroupAndWindowOf(hash);
    ++groups.at(at.group);
    ++windows.at(at.window);
    const uint64_t round = SecondRound(FirstRound(hash, 63));
    ++bits.at(BitInWord(round, 7));
    ++bits.at(BitInWord(round, 0));
  }
  for (const int count : groups) EXPECT_NEAR(64000, count, 1500);
  for (const int count : windows) EXPECT_NEAR(91429, count, 2000);
  for (const int count : bits) EXPECT_NEAR(20000, count, 800);
}

TEST(ProbesTest, SeedsSplitIntoBaseAndRotation) {
  EXPECT_EQ(0b101u, SeedBase(0b101011, 3));
  EXPECT_EQ(0b011000u, SeedRotation(0b101011, 3));
  EXPECT_EQ(0b101011u, SeedBase(0b101011, 0));
  EXPECT_EQ(0u, SeedRotation(0b101011, 0));
  EXPECT_EQ(0u, SeedBase(0b101011, 6));
  EXPECT_EQ(0b101011u, SeedRotation(0b101011, 6));
}

}  // namespace
}  // namespace linebloom
