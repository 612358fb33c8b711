// The numbers of a report; tests/tools/transcripts/compare.txt has its texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "tools/compare/comparison.h"

namespace linebloom::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Result ResultOf(const std::string& policy, uint64_t reads) {
  Result result = {policy, {}, /*copy=*/1};
  result.setup.cache.capacity = 65'536;
  result.files = {.shape = {"a to m", "n to z"}, .entries = 1000};
  result.measured.lookups = 10'000;
  result.measured.data_block_reads = reads;
  result.measured.mean_us = {10, 12, 11};
  result.measured.p99_us = {10, 12, 11};
  return result;
}

Comparison ComparisonOf(std::vector<Result> results) {
  Comparison comparison;
  comparison.results = std::move(results);
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
      ElementsAre("a reads least: 0 per 1,000 lookups, no difference seen "
                  "from b."));
}

// The count is 1.96 standard deviations away from each end.
TEST(ReportTest, IntervalsEndAsFarAsACountMayBe) {
  for (const uint64_t count : {0, 7}) {
    const Json result =
        ReportAsJson(ComparisonOf({ResultOf("a", count)}))["results"][0];
    const double low = 1e4 * result["reads_per_lookup_low"].get<double>();
    const double high = 1e4 * result["reads_per_lookup_high"].get<double>();
    EXPECT_NEAR(count - low, 1.96 * std::sqrt(low), 1e-9);
    EXPECT_NEAR(high - count, 1.96 * std::sqrt(high), 1e-9);
  }
}

TEST(ReportTest, TimesAreMediansOfTheRounds) {
  Result result = ResultOf("a", 1);
  result.measured.p99_us = {10, 20};
  const Json latency =
      ReportAsJson(ComparisonOf({result}))["results"][0]["latency_us"];
  EXPECT_EQ(latency["mean"], 11);
  EXPECT_EQ(latency["p99"], 15);
}

// In 80 columns, with four sizes of cache or more of one.
TEST(ReportTest, LabelsStayWhole) {
  std::vector<Result> results;
  for (const std::string policy :
       {"{id=linebloom:plain:10;level_aware=true}", "linebloom"}) {
    for (const double mb : {1, 2, 3, 4}) {
      results.push_back(ResultOf(policy, 123'456));
      results.back().setup.cache.capacity = 1e6 * mb;
      if (policy == "linebloom") results.back().chosen.emplace();
    }
  }
  EXPECT_THAT(
      ReportAsText(ReportAsJson(ComparisonOf(results))),
      HasSubstr("MB of cache                     1       2       3       4\n"
                "linebloom:plain:10 levels  12,346  12,346  12,346  12,346\n"
                "linebloom                  12,346  12,346  12,346  12,346\n"
                "bits of linebloom              10      10      10      10\n"));
  results.resize(1);
  const std::string text =
      ReportAsText(ReportAsJson(ComparisonOf(std::move(results))));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(line.size(), 80) << line;
  }
}

// Figures may be of other rows.
TEST(ReportTest, NotesSayWhatFiguresDontShow) {
  Result result = ResultOf("linebloom", 1);
  result.files.are_as_before = false;
  EXPECT_THAT(
      PartOf(ComparisonOf({result}), "notes"),
      UnorderedElementsAre(HasSubstr("aren't quite those of the database")));
}

TEST(ReportTest, ProblemsVoidIt) {
  Comparison comparison = ComparisonOf({ResultOf("a", 1), ResultOf("b", 1)});
  EXPECT_THAT(PartOf(comparison, "problems"), testing::IsEmpty());
  comparison.results[1].files.shape[1] = "n to y";
  comparison.results[1].measured.lost = 1;
  EXPECT_THAT(PartOf(comparison, "problems"),
              UnorderedElementsAre("the copies of a and b differ in more than "
                                   "their filters",
                                   "b lost 1 rows that exist"));
}

}  // namespace
}  // namespace linebloom::tools
