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
#include "tools/filter_dump/lines.h"
#include "tools/filter_dump/text.h"
#include "tools/filter_dump/verify.h"
#include "tools/filter_dump/verify_report.h"

namespace linebloom::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A report on two files, of which the rows of the first were read.
VerifyReport ReportOfASample(uint64_t denied, uint64_t missing_passed) {
  VerifyReport report;
  report.is_sample = true;
  report.seconds = 1;
  report.files.resize(2);
  for (CheckedFile& file : report.files) {
    FileCheck check;
    check.facts.rate = 0.01;
    check.facts.rate_is_exact = true;
    check.missing_probed = 10'000;
    check.missing_passed = missing_passed;
    file.check = check;
  }
  report.files[0].check->rows_were_read = true;
  report.files[0].check->denied = denied;
  return report;
}

// In one line.
std::string TextOf(const VerifyReport& report) {
  std::string text = VerifyAsText(VerifyAsJson(report));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(VerifyAsTextTest, SaysWhatTheIntervalsMean) {
  EXPECT_THAT(TextOf(ReportOfASample(0, 100)),
              AllOf(HasSubstr("1.0000 %, inside that interval."),
                    HasSubstr("of 1 of 2 files were read, chosen at random, "
                              "and no filter denied one."),
                    Not(HasSubstr("once in 20 times"))));
  EXPECT_THAT(TextOf(ReportOfASample(1, 150)),
              AllOf(HasSubstr("Chance alone does that once in 20 times"),
                    HasSubstr("the filters of 1 denied rows. 95 % interval")));
}

LinesReport WithFills(const std::vector<int>& percents) {
  LinesReport report;
  for (const int percent : percents) ++report.lines_by_fill[percent];
  return report;
}

TEST(FillBarsTest, StepsGrowWithTheRange) {
  const std::vector<LinesBar> narrow = FillBars(WithFills({50, 52, 52}));
  ASSERT_EQ(narrow.size(), 3u);
  EXPECT_EQ(narrow[0].from, 50);
  EXPECT_EQ(narrow[2].to, 53);
  EXPECT_EQ(narrow[2].lines, 2u);
  for (const auto& fills : {std::vector<int>{0, 100}, {13, 50}, {100}, {0}}) {
    const std::vector<LinesBar> bars = FillBars(WithFills(fills));
    EXPECT_LE(bars.size(), 30u);
    uint64_t lines = 0;
    for (const LinesBar& bar : bars) lines += bar.lines;
    EXPECT_EQ(lines, fills.size());
  }
}

TEST(ProbeBarsTest, StepsGrowWithTheRange) {
  LinesReport report;
  report.lines_by_half_probes[0] = 7;  // match everything
  EXPECT_TRUE(ProbeBars(report).empty());
  report.lines_by_half_probes[15] = 1;
  report.lines_by_half_probes[17] = 2;
  const std::vector<LinesBar> narrow = ProbeBars(report);
  ASSERT_EQ(narrow.size(), 3u);
  EXPECT_EQ(narrow[0].from, 7.5);
  EXPECT_EQ(narrow[2].from, 8.5);
  EXPECT_EQ(narrow[2].to, 9);
  EXPECT_EQ(narrow[2].lines, 2u);
  report.lines_by_half_probes[63] = 3;
  const std::vector<LinesBar> wide = ProbeBars(report);
  EXPECT_LE(wide.size(), 20u);
  EXPECT_EQ(wide[0].from, 6);
  EXPECT_EQ(wide[0].to, 8);
  EXPECT_EQ(wide.back().to, 32);
  uint64_t lines = 0;
  for (const LinesBar& bar : wide) lines += bar.lines;
  EXPECT_EQ(lines, 6u);
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
