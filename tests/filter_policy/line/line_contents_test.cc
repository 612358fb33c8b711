#include "filter_policy/line/line_contents.h"

#include <gtest/gtest.h>

#include "filter_policy/line/builder/line_builder.h"
#include "tests/filter_policy/line/line_cases.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

// The same doubles.
TEST(LineContentsTest, RatesMatchTheBuilder) {
  for (const LineShape& shape : AllShapes()) {
    LineBuilder builder(shape);
    for (const size_t keys : {0, 1, 10, 51, 100, 200, 252, 253, 1000}) {
      LineBytes line;
      const double rate = builder.Build(RandomHashes(keys, keys), line.data());
      EXPECT_EQ(rate, ReadLine(shape, line.data()).rate)
          << NameOf(shape) << ", " << keys << " keys";
    }
  }
}

TEST(LineContentsTest, CountsTheBitsOfAPlainLine) {
  LineBytes line = {};
  line[0] = 0x81;
  line[63] = 0xc0;
  const LineContents contents = ReadLine({Line::kPlain, 6, 0}, line.data());
  EXPECT_EQ(6, contents.probes);
  EXPECT_EQ(4, contents.bits_set);
  EXPECT_EQ(512, contents.bits);
  EXPECT_EQ(4.0 / 512, contents.fill());
}

// The top bits of words 0 and 2 make header 5; the others are unknowns.
TEST(LineContentsTest, ReadsTheHeaderOfASolvedLine) {
  LineBytes line = {};
  line[7] = 0xc0;
  line[8] = 0x03;
  line[23] = 0x80;
  const LineContents contents = ReadLine({Line::kSolved, 64, 2}, line.data());
  EXPECT_EQ(5, contents.header);
  EXPECT_EQ(2 + 10.0 / 32, contents.probes);
  EXPECT_EQ(0.25 * (1 - 10.0 / 64), contents.rate);
  EXPECT_EQ(3, contents.bits_set);
  EXPECT_EQ(504, contents.bits);
}

}  // namespace
}  // namespace linebloom
