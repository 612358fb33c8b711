#include "tools/io_compare/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tools/io_compare/machine.h"

namespace linebloom::tools {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

PolicyResult Result(const std::string& name, uint64_t reads) {
  PolicyResult result;
  result.name = name;
  result.options = name == "none" ? "" : name;
  result.shape.files = {{0, "a", "z", 50, 0}, {2, "a", "z", 950, 0}};
  if (name != "none") result.filter_bytes_by_level = {100, 0, 1150};
  result.build_seconds = 1.5;
  result.measured.lookups = 10'000;
  result.measured.data_block_reads = reads;
  result.measured.device_bytes = reads * 4608;
  result.io_agreement = "agrees";
  if (name != "none") {
    FilterAnswers& level = result.measured.answers_by_level.levels[2];
    level.negatives = 20'000 - reads;
    level.positives = reads;
    result.measured.answers = level;
    result.predicted = {0.01, {{2, 0.0123}}};
  }
  result.measured.rounds = {
      {12.5, 10, 99, 80'000}, {13.5, 12, 101, 70'000}, {11.5, 11, 90, 90'000}};
  result.measured.latencies.Add(std::vector<uint32_t>(10'000, 12'000));
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
                     {"folder", "/data/io_compare.abcdef"}};
  report.results = {Result("none", 20'000), Result("rocksdb-bloom", 200),
                    Result("linebloom", 100)};
  return report;
}

std::string TextOf(const Report& report) {
  return ReportAsText(ReportAsJson(report));
}

TEST(ReportTest, ComparesWhateverPoliciesThereAre) {
  Report report = Example();
  report.results = {Result("ribbonfilter:10", 50), Result("linebloom:9", 100)};
  EXPECT_EQ(ResultInWords(report),
            "ribbonfilter:10: 2.00 \u00d7 fewer reads than linebloom:9.");
  report.results = {Result("linebloom", 100), Result("bloomfilter:20", 25),
                    Result("none", 100)};
  EXPECT_EQ(ResultInWords(report),
            "linebloom: 4.00 \u00d7 more reads than bloomfilter:20, as many as "
            "no filter.");
  report.results = {Result("linebloom", 0), Result("none", 100)};
  EXPECT_EQ(ResultInWords(report),
            "linebloom: no reads where no filter has 100.");
  report.results = {Result("linebloom", 0)};
  EXPECT_EQ(ResultInWords(report), "");
}

TEST(ReportTest, TextOfManyLevelsFitsATerminal) {
  Report report = Example();
  report.results.push_back(
      Result("{id=linebloom;bits_per_key=10;line=plain}", 100));
  for (PolicyResult& result : report.results) {
    if (result.name == "none") continue;
    for (int level = 0; level < 9; ++level) {
      result.measured.answers_by_level.levels[level].negatives = 1'000'000;
      result.measured.answers_by_level.levels[level].positives = 1;
      result.predicted.levels[level] = 1.23456e-6;
    }
  }
  const std::string text = TextOf(report);
  EXPECT_THAT(text, HasSubstr("L8 (predicted)"));
  for (const auto& line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(ReportTest, TextOfAnyPoliciesAndNoReads) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"none"},
        {"linebloom"},
        {"rocksdb-bloom", "ribbonfilter:10"},
        {"none", "none"}}) {
    Report report = Example();
    report.results.clear();
    for (const std::string& name : names) {
      report.results.push_back(Result(name, 0));
    }
    EXPECT_THAT(TextOf(report), Not(HasSubstr("nan")));
    EXPECT_THAT(TextOf(report), Not(HasSubstr("inf")));
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
  report.results[1].measured.rounds[2].p50 = 13;
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
