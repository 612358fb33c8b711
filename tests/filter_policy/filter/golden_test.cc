// Bytes on disk live for ever: blocks of earlier builds are read the same, and
// built the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "tests/golden/golden_block.h"

namespace linebloom {
namespace {

class GoldenTest : public testing::TestWithParam<GoldenCase> {
 protected:
  void SetUp() override {
    const std::string path =
        std::string(LINEBLOOM_GOLDEN_DIR "/") + GetParam().name + ".txt";
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    ASSERT_TRUE(file.is_open()) << path;
    dump_ = text.str();
  }

  std::string dump_;
};

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTest, testing::ValuesIn(GoldenCases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(GoldenTest, BuildsTheSameBytes) {
  EXPECT_EQ(dump_, DumpGolden(GetParam()));
}

TEST_P(GoldenTest, ReadsTheOldBytes) {
  const std::string block = BytesOfDump(dump_);
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  ASSERT_EQ(BlockKind::kLinebloom, parsed.kind) << parsed.problem;
  const FilterReader reader =
      FilterReader::Make(block.data(), parsed, ChosenKernel(),
                         GetParam().canonical_key)
          .value();
  const auto may_match = [&](const std::string& key) {
    return reader.MayMatch(reader.hash()(key.data(), key.size()));
  };
  for (const std::string& key : GoldenKeys(GetParam())) {
    EXPECT_TRUE(may_match(key)) << key;
  }
  std::vector<std::string> false_positives;
  for (int i = 0; i < 2000; ++i) {
    const std::string stranger = "no" + std::to_string(i);
    if (may_match(stranger)) false_positives.push_back(stranger);
  }
  EXPECT_EQ(FalsePositivesOfDump(dump_), false_positives);
}

}  // namespace
}  // namespace linebloom
