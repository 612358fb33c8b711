#include "filter_policy/line/line_contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/line/builder/line_builder.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

// The mean over the lines is the rate in the metadata, to the last bit.
TEST(LineContentsTest, RatesAreThoseOfTheBuilder) {
  for (const LineKind kind : {LineKind::kPlain, LineKind::kSolved}) {
    const std::vector<uint64_t> hashes = RandomHashes(3000, 7);
    const FilterBlock block = BuildFilter(HashList(hashes), {10000, kind, 0});
    const FilterBlockInfo info =
        ParseFilterBlock(block.bytes.get(), block.size).info;
    const LineShape shape = ShapeOf(info);
    double sum = 0;
    for (uint32_t i = 0; i < info.lines; ++i) {
      const LineContents line =
          ReadLine(shape, reinterpret_cast<const uint8_t*>(block.bytes.get()) +
                              i * kLineBytes);
      sum += line.rate;
      EXPECT_TRUE(line.asked);
      EXPECT_EQ(line.has_seeds, kind != LineKind::kPlain);
      EXPECT_EQ(line.bits, kind == LineKind::kPlain ? 512 : 448);
    }
    EXPECT_EQ(static_cast<float>(sum / info.lines),
              info.expected_false_positive_rate);
  }
}

// docs/format.md, "A worked example": k = 12, group 0 has seed 24.
TEST(LineContentsTest, ReadsTheWordOfSeeds) {
  std::array<uint8_t, kLineBytes> line = {};
  const std::array<uint8_t, 8> word = {0x98, 0x03, 0xb7, 0x56,
                                       0x97, 0x69, 0x3a, 0xc1};
  std::copy(word.begin(), word.end(), line.begin());
  line[8] = 0x81;
  const LineContents contents =
      ReadLine({LineKind::kSolved, 0, 64, 3}, line.data());
  EXPECT_EQ(contents.probes, 12);
  EXPECT_EQ(contents.seeds[0], 24);
  EXPECT_EQ(contents.bits_set, 2);
  EXPECT_EQ(contents.rate, 0);
}

TEST(LineContentsTest, LinesOfReservedProbesDenyNothing) {
  for (const int probes : {0, 15}) {
    std::array<uint8_t, kLineBytes> line = {};
    line[7] = static_cast<uint8_t>(probes << 4);
    const LineContents contents =
        ReadLine({LineKind::kSolved, 0, 64, 3}, line.data());
    EXPECT_FALSE(contents.asked);
    EXPECT_EQ(contents.rate, 1);
  }
}

}  // namespace
}  // namespace linebloom
