#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tools/compare/machine.h"
#include "tools/compare/report.h"

namespace linebloom::tools {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(MeasurementTest, SummarizesTimes) {
  Measurement measured;
  std::vector<uint32_t> nanoseconds;
  for (uint32_t i = 101; i >= 1; --i) nanoseconds.push_back(1000 * i);
  measured.AddRound(nanoseconds, 2);
  measured.AddRound({5000}, 2);
  EXPECT_EQ(measured.rounds[0], (Json{{"mean_us", 51.0},
                                      {"p50_us", 51.0},
                                      {"p99_us", 100.0},
                                      {"lookups_per_second", 50.5}}));
  EXPECT_EQ(measured.rounds[1]["p99_us"], 5.0);
  const Json points = measured.SlowerThan();
  EXPECT_EQ(points.front(), (Json{1.0, 1.0}));
  EXPECT_EQ(points[1][0], 6.0);  // after 1 to 5 and 5
  EXPECT_EQ(points.back()[0], 101.0);
  EXPECT_EQ(measured.OverRounds("mean_us").median, 28);
  measured.AddRound({7000}, 2);
  const Spread spread = measured.OverRounds("mean_us");
  EXPECT_EQ(spread.min, 5);
  EXPECT_EQ(spread.median, 7);
  EXPECT_EQ(spread.max, 51);
}

PolicyResult Result(const std::string& name, uint64_t reads) {
  PolicyResult result;
  result.policy.name = name;
  result.policy.options = name == "none" ? "" : name;
  result.shape.files = {{0, "a", "z", 50, 0}, {2, "a", "z", 950, 0}};
  result.levels.resize(3);
  result.build_seconds = 1.5;
  result.measured.lookups = 10'000;
  result.measured.data_block_reads = reads;
  result.measured.device_bytes = reads * 4608;
  result.io_agreement = "agrees";
  if (name != "none") {
    FilterStats& level = result.measured.stats_by_level.levels[2];
    level.negatives = 20'000 - reads;
    level.positives = reads;
    result.measured.answers = level;
    result.levels[2] = {.bytes = 1250, .probes = 1, .reads = 0.0123};
    result.all_levels = result.levels[2];
  }
  for (const uint32_t nanoseconds : {10'000, 12'000, 11'000}) {
    result.measured.AddRound(std::vector<uint32_t>(10'000, nanoseconds), 1);
  }
  return result;
}

Report Example() {
  Report report;
  report.machine = {{"cpu", "A CPU"},       {"cores", 2},
                    {"kernel", "Linux"},    {"rocksdb_version", ""},
                    {"device", "/dev/sda"}, {"file_system", "ext4"}};
  report.workload = {{"rows_from", "generated"},
                     {"missing_keys", "each between two rows"},
                     {"skew", ""},
                     {"rows", 1000},
                     {"key_bytes", 16},
                     {"value_size", 100},
                     {"lookups_of_existing_rows", 0},
                     {"lookups_of_missing_keys", 10'000},
                     {"rounds", 5},
                     {"threads", 1},
                     {"seed", 1},
                     {"block_size", 4096},
                     {"block_cache_bytes", 65'536},
                     {"direct_io", false},
                     {"folder", "/data/linebloom compare.abcdef"}};
  report.results = {Result("none", 20'000), Result("rocksdb-bloom", 200),
                    Result("linebloom", 100)};
  return report;
}

std::string TextOf(const Report& report) {
  return ReportAsText(ReportAsJson(report));
}

TEST(ReportTest, ComparesWhateverPoliciesThereAre) {
  const auto comparison_of = [](const std::vector<PolicyResult>& results) {
    Report report = Example();
    report.results = results;
    const std::string text = TextOf(report);
    EXPECT_THAT(text, Not(AnyOf(HasSubstr("nan"), HasSubstr("inf"))));
    return ReportAsJson(report)["result"].get<std::string>();
  };
  EXPECT_EQ(comparison_of(
                {Result("ribbonfilter:10", 50), Result("linebloom:9", 100)}),
            "ribbonfilter:10: 2.00x fewer reads than linebloom:9.");
  EXPECT_EQ(comparison_of({Result("linebloom", 100),
                           Result("bloomfilter:20", 25), Result("none", 100)}),
            "linebloom: 4.00x more reads than bloomfilter:20, no fewer than no "
            "filter.");
  EXPECT_EQ(comparison_of({Result("linebloom", 0), Result("none", 100)}),
            "linebloom: far fewer reads than no filter.");
  EXPECT_EQ(comparison_of({Result("linebloom", 0)}), "");
  EXPECT_EQ(comparison_of({Result("none", 0)}), "");
  EXPECT_EQ(comparison_of({Result("none", 0), Result("none", 0)}),
            "none: no fewer reads than no filter.");
  EXPECT_EQ(
      comparison_of({Result("rocksdb-bloom", 0), Result("ribbonfilter:10", 0)}),
      "rocksdb-bloom: no fewer reads than ribbonfilter:10.");
}

TEST(ReportTest, SaysNothingOfAnUnknownDevice) {
  Report report = Example();
  EXPECT_THAT(TextOf(report), HasSubstr("on /dev/sda (ext4), no direct"));
  report.machine["device"] = "unknown";
  EXPECT_THAT(TextOf(report), HasSubstr("abcdef, no direct"));
}

TEST(ReportTest, TextFitsATerminal) {
  Report report = Example();
  report.results.push_back(
      Result("{id=linebloom;bits_per_key=10;line=plain}", 100));
  const std::string text = TextOf(report);
  for (const auto& line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(CompareIoTest, AllowsRoundingAndNoMore) {
  // 10 blocks of 4,000 bytes, each rounded by up to 2 * 511 bytes.
  EXPECT_THAT(CompareIo(40'000, 10, 512, 40'000), HasSubstr("agrees"));
  EXPECT_THAT(CompareIo(40'000, 10, 512, 50'220), HasSubstr("agrees"));
  EXPECT_THAT(CompareIo(40'000, 10, 512, 50'221), HasSubstr("is larger"));
  EXPECT_THAT(CompareIo(40'000, 10, 512, 39'999), HasSubstr("is smaller"));
  EXPECT_THAT(CompareIo(40'000, 10, 512, 0), HasSubstr("is zero"));
  EXPECT_THAT(CompareIo(40'000, 10, 512, {}), HasSubstr("not available"));
  EXPECT_EQ(CompareIo(0, 0, 512, 0), "");
}

TEST(FindingsTest, ProblemsVoidAComparison) {
  Report shapes = Example();
  shapes.results[2].shape.files[1].entries = 949;
  AddFindings(Shape(), &shapes);
  EXPECT_THAT(shapes.problems, ElementsAre(HasSubstr("949 entries")));
  EXPECT_THAT(TextOf(shapes), HasSubstr("not the same for every policy"));
  Report rows = Example();
  rows.workload["lookups_of_existing_rows"] = 10;
  for (PolicyResult& result : rows.results) result.measured.found = 10;
  rows.results[1].measured.found = 9;
  AddFindings(Shape(), &rows);
  EXPECT_THAT(rows.problems, ElementsAre(HasSubstr("lost rows")));
}

TEST(FindingsTest, NotesQualifyIt) {
  Report report = Example();
  Shape source = report.results[0].shape;
  source.files.pop_back();
  report.results[1].measured.rounds[2]["p50_us"] = 13;
  report.results[1].io_agreement = "is larger";
  AddFindings(source, &report);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes,
              testing::IsSupersetOf(
                  {HasSubstr("not quite as"),
                   HasSubstr("with rocksdb-bloom, is larger"),
                   HasSubstr("a noisy machine. The p50 differs between rounds "
                             "by more than a quarter with rocksdb-bloom (10.0 "
                             "to 13.0 us).")}));
}

}  // namespace
}  // namespace linebloom::tools
