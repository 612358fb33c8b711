#include "tools/io_compare/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tools/io_compare/report/findings.h"
#include "tools/io_compare/report/pictures.h"

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
  result.io_agreement = IoAgreement::kAgrees;
  if (name != "none") {
    FilterAnswers& level = result.measured.answers_by_level.levels[2];
    level.negatives = 20'000 - reads;
    level.positives = reads;
    result.measured.answers = level;
    result.predicted = {0.01, {{2, 0.0123}}};
  }
  result.measured.rounds = {{{12.5, 10, 99}, 80'000},
                            {{13.5, 12, 101}, 70'000},
                            {{11.5, 11, 90}, 90'000}};
  result.measured.latencies.Add(std::vector<uint32_t>(10'000, 12'000));
  return result;
}

Report Example() {
  Report report;
  report.machine = {"A CPU", 2, "Linux", "7.8.3", "/dev/sda", "ext4"};
  report.workload.source = "generated";
  report.workload.missing = "each between two rows";
  report.workload.entries = 1000;
  report.workload.key_bytes = 16;
  report.workload.asked_missing = 10'000;
  report.workload.block_bytes = 4096;
  report.workload.folder = "/data/io_compare.abcdef";
  report.results = {Result("none", 20'000), Result("rocksdb-bloom", 200),
                    Result("linebloom", 100)};
  return report;
}

TEST(ReportTest, JsonHasAllFields) {
  const nlohmann::ordered_json json = ReportAsJson(Example());
  EXPECT_EQ(json["machine"]["cpu"], "A CPU");
  EXPECT_EQ(json["workload"]["lookups"], 10'000);
  EXPECT_EQ(json["workload"]["files_per_level"],
            nlohmann::ordered_json::array({1, 0, 1}));
  ASSERT_EQ(json["results"].size(), 3u);
  const auto& bloom = json["results"][1];
  for (const char* field : {"policy",
                            "filter_bytes",
                            "bits_per_key",
                            "files_per_level",
                            "lookups",
                            "found",
                            "data_block_reads",
                            "index_block_reads",
                            "filter_block_reads",
                            "device_read_bytes",
                            "reads_per_lookup",
                            "reads_per_lookup_low",
                            "reads_per_lookup_high",
                            "filter_bytes_per_level",
                            "rounds",
                            "share_slower_than_us",
                            "false_positive_rate",
                            "false_positive_rate_low",
                            "false_positive_rate_high",
                            "predicted_false_positive_rate",
                            "latency_us",
                            "lookups_per_second",
                            "build_seconds"}) {
    EXPECT_TRUE(bloom.contains(field)) << field;
  }
  EXPECT_EQ(bloom["policy"], "rocksdb-bloom");
  EXPECT_DOUBLE_EQ(bloom["bits_per_key"], 10);
  EXPECT_DOUBLE_EQ(bloom["reads_per_lookup"], 0.02);
  EXPECT_DOUBLE_EQ(bloom["false_positive_rate"], 0.01);
  EXPECT_LT(bloom["false_positive_rate_low"], 0.01);
  EXPECT_GT(bloom["false_positive_rate_high"], 0.01);
  ASSERT_EQ(bloom["levels"].size(), 1u);
  EXPECT_EQ(bloom["levels"][0]["level"], 2);
  EXPECT_DOUBLE_EQ(bloom["levels"][0]["false_positive_rate"], 0.01);
  EXPECT_DOUBLE_EQ(bloom["levels"][0]["predicted_false_positive_rate"], 0.0123);
  EXPECT_EQ(bloom["filter_bytes"], 1250);
  EXPECT_EQ(bloom["latency_us"]["p50"], 11);
  EXPECT_EQ(bloom["latency_us"]["p99"], 99);
  EXPECT_EQ(bloom["lookups_per_second"], 80'000);
  ASSERT_EQ(bloom["rounds"].size(), 3u);
  EXPECT_EQ(bloom["rounds"][1]["p50_us"], 12);
  EXPECT_EQ(bloom["share_slower_than_us"][0][1], 1);
  EXPECT_EQ(json["result"], ResultInWords(Example()));
  EXPECT_TRUE(json["results"][0]["false_positive_rate"].is_null());
}

TEST(ReportTest, TextFitsATerminal) {
  Report report = Example();
  report.workload.folder = "/a/rather/long/path/to/some/folder/io_compare.abc";
  report.results.push_back(
      Result("{id=linebloom;bits_per_key=10;line=plain}", 12'345'678));
  for (RoundTimes& round : report.results[0].measured.rounds) {
    round.latency = {8123, 7654, 21'987};  // a hard disk
  }
  report.notes = {std::string(40, 'n') + " " + std::string(70, 'm')};
  for (const auto& line : absl::StrSplit(ReportAsText(report), '\n')) {
    EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(ReportTest, SaysHowLookupsAreSpread) {
  Report report = Example();
  report.config.skew = "80/20";
  report.workload.skew = "80 % of them in 20 % of the key space";
  EXPECT_THAT(ReportAsText(report),
              HasSubstr("(each between two rows): 80 % of them in 20 % of"));
  EXPECT_EQ(ReportAsJson(report)["workload"]["skew"], "80/20");
  EXPECT_EQ(ReportAsJson(report)["workload"]["skew_in_words"],
            report.workload.skew);
  EXPECT_EQ(ReportAsJson(Example())["workload"]["skew"], "");
  EXPECT_THAT(ReportAsHtml(report, MakePictures(report), ReportAsJson(report)),
              HasSubstr("The missing keys are skewed: 80 % of them in 20 % of "
                        "the key space."));
}

TEST(ReportTest, TextSaysTheResult) {
  const std::string text = ReportAsText(Example());
  EXPECT_THAT(text, HasSubstr("L0 1, L2 1: 2 sorted runs, the same"));
  EXPECT_THAT(text, HasSubstr("200x fewer"));
  EXPECT_THAT(text, HasSubstr("0.0100  0.00822-0.0122"));
  EXPECT_THAT(text, HasSubstr("12.5 (11.5-13.5)  11.0 (10.0-12.0)"));
  EXPECT_THAT(text, EndsWith("\nlinebloom: 200 \u00d7 fewer reads than no "
                             "filter, 2.00 \u00d7 fewer than "
                             "rocksdb-bloom.\n"));
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

TEST(ReportTest, DividesByNoReads) {
  Report report = Example();
  report.results = {Result("none", 100), Result("rocksdb-bloom", 0)};
  EXPECT_THAT(ReportAsText(report), Not(HasSubstr("inf")));
}

TEST(ReportTest, TextShowsEachLevel) {
  EXPECT_THAT(ReportAsText(Example()),
              HasSubstr("False positives, %  L2 (predicted)\n"
                        "rocksdb-bloom          1.00 (1.23)\n"
                        "linebloom             0.500 (1.23)\n"));
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
  const std::string text = ReportAsText(report);
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
    EXPECT_THAT(ReportAsText(report), Not(HasSubstr("nan")));
    EXPECT_THAT(ReportAsText(report), Not(HasSubstr("inf")));
  }
}

TEST(FindingsTest, EqualDatabasesAreFine) {
  Report report = Example();
  AddFindings(Shape(), &report);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("agrees with RocksDB's")));
}

TEST(FindingsTest, DifferentShapesAreAProblem) {
  Report report = Example();
  report.results[2].shape.files[1].entries = 949;
  AddFindings(Shape(), &report);
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("949 entries")));
  EXPECT_THAT(ReportAsText(report), HasSubstr("not the same for every policy"));
}

TEST(FindingsTest, LostRowsAreAProblem) {
  Report report = Example();
  report.workload.asked_existing = 10;
  for (PolicyResult& result : report.results) result.measured.found = 10;
  report.results[1].measured.found = 9;
  AddFindings(Shape(), &report);
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("lost rows")));
}

TEST(FindingsTest, MissingKeysThatExistAreANote) {
  Report report = Example();
  for (PolicyResult& result : report.results) result.measured.found = 1234;
  AddFindings(Shape(), &report);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(
      report.notes,
      testing::Contains(HasSubstr("1,234 of the keys looked up as missing")));
}

TEST(FindingsTest, ACopyUnlikeItsSourceIsANote) {
  Report report = Example();
  Shape source = report.results[0].shape;
  source.files.pop_back();
  AddFindings(source, &report);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("not quite as")));
}

TEST(FindingsTest, WarnsOfANoisyMachine) {
  Report report = Example();
  report.results[1].measured.rounds[2].latency.p50 = 13;
  AddFindings(Shape(), &report);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr(
                                "a noisy machine. The p50 differs between "
                                "rounds by more than a quarter with "
                                "rocksdb-bloom (10.0 to 13.0 us).")));
}

TEST(FindingsTest, SaysWhoseReadsTheKernelSawOtherwise) {
  Report report = Example();
  report.results[1].io_agreement = IoAgreement::kKernelMore;
  AddFindings(Shape(), &report);
  EXPECT_THAT(report.notes,
              testing::Contains(HasSubstr("with rocksdb-bloom, is larger")));
}

}  // namespace
}  // namespace linebloom::tools
