// Bytes on disk live for ever: the same keys make the same blocks, and the same
// keys pass them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/line/hash.h"
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

// No builder writes heat any more, but blocks with it are read.
TEST(GoldenTest, SkipsHeat) {
  std::ifstream file(LINEBLOOM_GOLDEN_DIR "/v1_heat.txt");
  std::string block;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream bytes(line.substr(8, line.find("  #") - 8));
    for (int byte; bytes >> std::hex >> byte;) block += static_cast<char>(byte);
  }
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  ASSERT_EQ(BlockKind::kLinebloom, parsed.kind);
  EXPECT_EQ((FilterRequest{.millibits_per_key = 12150, .level_aware = true}),
            parsed.info.request);
  const auto reader =
      FilterReader::Make(block.data(), parsed, ChosenKernel(), 0);
  int passed = 0;
  for (int i = 0; i < 60 + 2000; ++i) {
    const std::string key =
        i < 60 ? "key" + std::to_string(i) : "no" + std::to_string(i - 60);
    passed += reader->MayMatch(KeyHash()(key.data(), key.size()));
  }
  EXPECT_EQ(60, passed);
}

}  // namespace
}  // namespace linebloom
