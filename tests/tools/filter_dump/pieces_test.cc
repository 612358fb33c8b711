// Tests the parts of filter_dump directly.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/table/rocksdb_files.h"
#include "tests/temporary_folder.h"
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

// Bytes of a version 5 file that no checksum covers and nobody reads: the
// padding of the footer's handles.
bool IsPadding(const std::string& bytes, size_t at) {
  return bytes[at] == 0 && at > bytes.size() - 53 && at < bytes.size() - 12;
}

// Damage anywhere is an error or a problem, never anything worse.
TEST(VerifyTest, EveryDamagedByteIsReported) {
  namespace lt = linebloom::testing;
  const TemporaryFolder folder;
  // Not SstFileWriter, because ingestion may change 8 bytes in its files.
  const std::string written =
      lt::WriteDatabase(folder.File("db"),
                        {5, ChecksumType::kXxh3, FilterKind::kPartitioned,
                         lt::FilterContent::kBoth, lt::kLinebloom},
                        60)
          .front();
  const std::string path = folder.Write("a.sst", ReadFileBytes(written));
  const std::string bytes = ReadFileBytes(path);
  FilterDumpConfig config;
  config.files = {path};
  config.missing = 0;
  ASSERT_EQ(RunVerify(config)->exit_code, kExitFine);
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    folder.Write("a.sst", damaged);
    EXPECT_TRUE(RunVerify(config)->exit_code != kExitFine ||
                IsPadding(bytes, at))
        << "byte " << at << " of " << bytes.size();
  }
}

}  // namespace
}  // namespace linebloom::tools
