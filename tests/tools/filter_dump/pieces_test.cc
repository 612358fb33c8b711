// Tests the parts of filter_dump directly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/table/rocksdb_files.h"
#include "tests/tools/run_program.h"
#include "tools/filter_dump/text.h"
#include "tools/filter_dump/verify.h"

namespace linebloom::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Json = nlohmann::ordered_json;

// For a report on two files, of which the rows of the first were read; in one
// line.
std::string TextOfASample(uint64_t denied, double rate) {
  const Json missing = {{"probed", 20'000},
                        {"passed", 20'000 * rate},
                        {"false_positive_rate", rate},
                        {"false_positive_rate_low", 0.9 * rate},
                        {"false_positive_rate_high", 1.1 * rate},
                        {"expected_false_positive_rate", 0.01},
                        {"expected_is_exact", true},
                        {"expected_is_inside", rate == 0.01}};
  const Json file = {{"path", "a.sst"},
                     {"filter", nullptr},
                     {"rows_were_read", false},
                     {"missing_keys", missing},
                     {"sound", true}};
  std::string text = VerifyAsText({{"files", {file, file}},
                                   {"is_sample", true},
                                   {"sampled_files", 1},
                                   {"files_with_denied_rows", denied},
                                   {"sums",
                                    {{"entries", 1},
                                     {"keys_probed", 1},
                                     {"prefixes_probed", 0},
                                     {"denied", denied},
                                     {"bytes_read", 1}}},
                                   {"missing_keys", missing},
                                   {"seconds", 1},
                                   {"notes", Json::array()}});
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(VerifyAsTextTest, SaysWhatTheIntervalsMean) {
  EXPECT_THAT(TextOfASample(0, 0.01),
              AllOf(HasSubstr("1.0000 %, inside that interval."),
                    HasSubstr("of 1 of 2 files were read, chosen at random, "
                              "and no filter denied one."),
                    Not(HasSubstr("once in 20 times"))));
  EXPECT_THAT(TextOfASample(1, 0.015),
              AllOf(HasSubstr("Chance alone does that once in 20 times"),
                    HasSubstr("the filters of 1 denied rows. 95 % interval")));
}

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

TEST(TextTest, RateText) {
  EXPECT_EQ(RateText(0, true), "0.0000");
  EXPECT_EQ(RateText(1e-9, true), "<1e-4");
  EXPECT_EQ(RateText(0.0045, true), "0.4500");
  EXPECT_EQ(RateText(0.0123456, false), "~1.2346");
  EXPECT_EQ(RateText(1, true), "100");
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
TEST(CheckFileTest, EveryDamagedByteIsReported) {
  namespace lt = linebloom::testing;
  const TemporaryFolder folder;
  // Not SstFileWriter, because ingestion may change 8 bytes in its files.
  const std::string written =
      lt::WriteDatabase(folder.File("db"),
                        {5, ChecksumType::kXxh3, FilterKind::kPartitioned,
                         lt::FilterContent::kBoth, lt::Policy::kLinebloom},
                        60)
          .front();
  const std::string path = folder.Write("a.sst", ReadWholeFile(written));
  const std::string bytes = ReadWholeFile(path);
  ASSERT_TRUE(CheckFile(path, {})->sound());
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    folder.Write("a.sst", damaged);
    const absl::StatusOr<FileCheck> check = CheckFile(path, {});
    EXPECT_TRUE(!check.ok() || !check->sound() || IsPadding(bytes, at))
        << "byte " << at << " of " << bytes.size();
  }
}

}  // namespace
}  // namespace linebloom::tools
