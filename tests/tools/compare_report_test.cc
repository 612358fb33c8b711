#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "tools/compare/comparison.h"

namespace linebloom::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result ResultOf(const std::string& name, uint64_t reads,
                uint64_t cache_bytes = 65'536, const std::string& wanted = "") {
  Result result = {wanted.empty() ? name : wanted,
                   {name, nullptr},
                   {.bytes = cache_bytes},
                   /*database=*/1};
  result.shape = {{0, "a", "z", 50, 0}, {2, "a", "z", 950, 0}};
  result.measured.lookups = 10'000;
  result.measured.data_block_reads = reads;
  for (const double us : {10.0, 12.0, 11.0}) {
    result.measured.rounds.push_back({us, us, us});
  }
  return result;
}

Comparison ComparisonOf(std::vector<Result> results) {
  Comparison comparison;
  comparison.workload.facts = {{"rows_from", "generated"},
                               {"missing_keys", "each between two rows"},
                               {"hit_ratio", 0},
                               {"zipf", 0},
                               {"lookups", 10'000},
                               {"rounds", 3},
                               {"threads", 1},
                               {"seed", 1}};
  comparison.workload.existing = 0;
  comparison.results = std::move(results);
  for (size_t i = 0; i < comparison.results.size(); ++i) {
    comparison.results[i].database = i + 1;
  }
  return comparison;
}

std::vector<std::string> ResultsIn(std::vector<Result> results) {
  return ReportAsJson(ComparisonOf(std::move(results)))["result"];
}

TEST(ReportTest, SaysWhichReadsLeast) {
  EXPECT_THAT(
      ResultsIn({ResultOf("none", 20'000), ResultOf("bloomfilter:10", 570),
                 ResultOf("linebloom:10", 80)}),
      ElementsAre("linebloom:10 reads least: 8.00 per 1,000 lookups; "
                  "bloomfilter:10 57.0, none 2,000."));
  EXPECT_THAT(ResultsIn({ResultOf("none", 20'000)}),
              ElementsAre("none reads 2,000 per 1,000 lookups."));
}

// 95 % intervals of 100 and 120 reads overlap, those of 100 and 150 don't.
TEST(ReportTest, ClaimsNoDifferenceThatIntervalsDoNotShow) {
  EXPECT_THAT(
      ResultsIn({ResultOf("a", 150), ResultOf("b", 120), ResultOf("c", 100)}),
      ElementsAre("c reads least: 10.0 per 1,000 lookups, no "
                  "difference seen from b; a 15.0."));
  EXPECT_THAT(ResultsIn({ResultOf("a", 0), ResultOf("b", 0)}),
              ElementsAre("a reads 0 per 1,000 lookups, no difference seen "
                          "from b."));
}

TEST(ReportTest, TimesAreMediansOfTheRounds) {
  Comparison comparison = ComparisonOf({ResultOf("a", 1)});
  Json latency = ReportAsJson(comparison)["results"][0]["latency_us"];
  EXPECT_EQ(latency["p50"], 11);
  EXPECT_EQ(latency["p50_min"], 10);
  EXPECT_EQ(latency["p50_max"], 12);
  comparison.results[0].measured.rounds.pop_back();
  comparison.results[0].measured.rounds[1].p99 = 20;
  latency = ReportAsJson(comparison)["results"][0]["latency_us"];
  EXPECT_EQ(latency["p99"], 15);
}

TEST(ReportTest, TakesTheBestOfAnAsteriskForEachCache) {
  const Comparison comparison = ComparisonOf(
      {ResultOf("x:3", 100, 1'000'000, "x:*"),
       ResultOf("x:3", 90, 2'000'000, "x:*"),
       ResultOf("x:4", 900, 1'000'000, "x:*"),
       ResultOf("x:4", 10, 2'000'000, "x:*"), ResultOf("none", 5000, 1'000'000),
       ResultOf("none", 4000, 2'000'000)});
  const Json report = ReportAsJson(comparison);
  EXPECT_THAT(std::vector<std::string>(report["result"]),
              ElementsAre("At 1 MB x:3 reads least: 10.0 per 1,000 lookups; "
                          "none 500.",
                          "At 2 MB x:4 reads least: 1.00 per 1,000 lookups; "
                          "none 400."));
  EXPECT_THAT(std::vector<std::string>(report["notes"]),
              testing::Contains("The best of x:*: x:3 at 1 MB, x:4 at 2 MB."));
  EXPECT_THAT(ReportAsText(report), HasSubstr("\nx:*          10.0  1.00\n"));
}

// Names too long for a column are numbered and explained.
TEST(ReportTest, NoTwoPoliciesShareAName) {
  const std::string same = "{id=linebloom;bits_per_key=8;a_long_option=1;";
  const Json report = ReportAsJson(ComparisonOf(
      {ResultOf(same + "other=1}", 1), ResultOf(same + "other=2}", 1)}));
  const std::string a = report["results"][0]["label"];
  const std::string b = report["results"][1]["label"];
  EXPECT_NE(a, b);
  EXPECT_THAT(std::vector<std::string>(report["notes"]),
              testing::IsSupersetOf({a + " is " + same + "other=1}.",
                                     b + " is " + same + "other=2}."}));
}

TEST(ReportTest, ProblemsVoidIt) {
  Comparison shapes = ComparisonOf({ResultOf("a", 1), ResultOf("b", 1)});
  EXPECT_THAT(ReportAsJson(shapes)["problems"], IsEmpty());
  shapes.results[1].shape[1].entries = 949;
  EXPECT_THAT(std::vector<std::string>(ReportAsJson(shapes)["problems"]),
              ElementsAre("the databases of a and b differ in more than their "
                          "filters"));
  Comparison rows = ComparisonOf({ResultOf("a", 1), ResultOf("b", 1)});
  rows.workload.existing = 10;
  rows.results[0].measured.found = 10;
  rows.results[1].measured.found = 9;
  EXPECT_THAT(std::vector<std::string>(ReportAsJson(rows)["problems"]),
              ElementsAre(HasSubstr("lost rows")));
}

TEST(ReportTest, SaysWhereCopiesDiffer) {
  Comparison comparison = ComparisonOf({ResultOf("a", 1), ResultOf("b", 1)});
  comparison.workload.rows.shape = {{0, "a", "z", 50, 0}};
  EXPECT_THAT(std::vector<std::string>(ReportAsJson(comparison)["notes"]),
              ElementsAre(HasSubstr("aren't quite those of the database")));
}

TEST(ParseMemoryTest, TakesSizesThatRise) {
  EXPECT_THAT(*ParseMemory("64KiB,1MB,1.5MB"),
              ElementsAre(65536, 1'000'000, 1'500'000));
  for (const char* text :
       {"", "1MB,", "2MB,1MB", "1MB,1MB", "1kB", "9PB", "x"}) {
    const auto parsed = ParseMemory(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(std::string(parsed.status().message()),
                HasSubstr("--memory='" + std::string(text)));
  }
  EXPECT_EQ(PoliciesOf("linebloom:*").size(), 14);
  EXPECT_EQ(PoliciesOf("linebloom:*")[1], "linebloom:4");
  EXPECT_THAT(PoliciesOf("none"), ElementsAre("none"));
}

}  // namespace
}  // namespace linebloom::tools
