// Tests the parts of filter_dump directly.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tools/filter_dump/inputs.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

TEST(HistogramBarsTest, StepsGrowWithTheRange) {
  const auto bars_of = [](const std::vector<int>& indexes) {
    std::vector<uint64_t> counts(101);
    for (const int index : indexes) ++counts[index];
    return HistogramBars(counts, {1, 2, 5}, 30, 0.5);
  };
  const Json narrow = bars_of({50, 52, 52});
  ASSERT_EQ(narrow.size(), 3u);
  EXPECT_EQ(narrow[0]["from"], 25.0);
  EXPECT_EQ(narrow[2]["to"], 26.5);
  EXPECT_EQ(narrow[2]["lines"], 2u);
  for (const auto& indexes : {std::vector<int>{0, 100}, {13, 50}, {100}, {0}}) {
    const Json bars = bars_of(indexes);
    EXPECT_LE(bars.size(), 30u);
    EXPECT_LE(bars.back()["to"], 50.0);
    uint64_t lines = 0;
    for (const Json& bar : bars) lines += bar["lines"].get<uint64_t>();
    EXPECT_EQ(lines, indexes.size());
  }
  EXPECT_TRUE(bars_of({}).empty());
}

TEST(TextTest, KeysAreShownAsTextAndInHex) {
  EXPECT_EQ(KeyText(std::string("k\0'", 3)), "'k\\x00\\'' (6b0027)");
  EXPECT_EQ(KeyText(""), "'' ()");
}

}  // namespace
}  // namespace linebloom::tools
