// Bytes on disk live for ever: the same keys make the same blocks, and the same
// keys pass them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/golden/golden_block.h"

namespace linebloom {
namespace {

TEST(GoldenTest, BuildsAndReadsTheSameBytes) {
  for (const GoldenCase& golden : GoldenCases()) {
    std::ifstream file(std::string(LINEBLOOM_GOLDEN_DIR "/") + golden.name +
                       ".txt");
    const std::string dump(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(dump, DumpGolden(golden)) << golden.name;
  }
}

}  // namespace
}  // namespace linebloom
