// The numbers of a report; tests/tools/transcripts/compare.txt has its texts.
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

Result ResultOf(const std::string& name, uint64_t reads) {
  Result result = {{name, nullptr}, {.bytes = 65'536}, /*database=*/1};
  result.shape = {{0, "a", "z", 50, 0}, {2, "a", "z", 950, 0}};
  result.measured.lookups = 10'000;
  result.measured.data_block_reads = reads;
  for (const double us : {10.0, 12.0, 11.0}) {
    result.measured.rounds.push_back({us, us});
  }
  return result;
}

Comparison ComparisonOf(std::vector<Result> results) {
  Comparison comparison;
  comparison.workload.facts = {
      {"hit_ratio", 0}, {"lookups", 10'000}, {"rounds", 3}, {"seed", 1}};
  comparison.workload.lookups.existing = 0;
  comparison.results = std::move(results);
  for (size_t i = 0; i < comparison.results.size(); ++i) {
    comparison.results[i].database = i + 1;
  }
  return comparison;
}

std::vector<std::string> PartOf(const Comparison& comparison,
                                const std::string& part) {
  return ReportAsJson(comparison)[part];
}

// 95 % intervals of 100 and 120 reads overlap, those of 100 and 150 don't.
TEST(ReportTest, ClaimsNoDifferenceThatIntervalsDoNotShow) {
  EXPECT_THAT(PartOf(ComparisonOf({ResultOf("a", 150), ResultOf("b", 120),
                                   ResultOf("c", 100)}),
                     "result"),
              ElementsAre("c reads least: 10.0 per 1,000 lookups, no "
                          "difference seen from b; a 15.0."));
  EXPECT_THAT(
      PartOf(ComparisonOf({ResultOf("a", 0), ResultOf("b", 0)}), "result"),
      ElementsAre("a reads 0 per 1,000 lookups, no difference seen "
                  "from b."));
}

TEST(ReportTest, TimesAreMediansOfTheRounds) {
  Comparison comparison = ComparisonOf({ResultOf("a", 1)});
  Json latency = ReportAsJson(comparison)["results"][0]["latency_us"];
  EXPECT_EQ(latency["mean"], 11);
  comparison.results[0].measured.rounds.pop_back();
  comparison.results[0].measured.rounds[1].p99 = 20;
  latency = ReportAsJson(comparison)["results"][0]["latency_us"];
  EXPECT_EQ(latency["p99"], 15);
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
              ElementsAre(a + " is " + same + "other=1}.",
                          b + " is " + same + "other=2}."));
}

TEST(ReportTest, ProblemsVoidIt) {
  Comparison shapes = ComparisonOf({ResultOf("a", 1), ResultOf("b", 1)});
  EXPECT_THAT(PartOf(shapes, "problems"), IsEmpty());
  shapes.results[1].shape[1].entries = 949;
  EXPECT_THAT(PartOf(shapes, "problems"),
              ElementsAre("the databases of a and b differ in more than their "
                          "filters"));
  Comparison rows = ComparisonOf({ResultOf("a", 1), ResultOf("b", 1)});
  rows.workload.lookups.existing = 10;
  rows.results[0].measured.found = 10;
  rows.results[1].measured.found = 9;
  EXPECT_THAT(PartOf(rows, "problems"), ElementsAre(HasSubstr("lost rows")));
}

TEST(ReportTest, SaysWhereFiguresAreOfOtherRows) {
  Comparison comparison = ComparisonOf({ResultOf("a", 1), ResultOf("b", 1)});
  comparison.workload.rows.shape = {{0, "a", "z", 50, 0}};
  for (Result& result : comparison.results) result.measured.found = 5;
  EXPECT_THAT(PartOf(comparison, "notes"),
              ElementsAre(HasSubstr("aren't quite those of the database"),
                          HasSubstr("5 of the keys looked up as missing")));
}

}  // namespace
}  // namespace linebloom::tools
