#include "nlohmann/json.hpp"
#include "tools/filter_dump/facts_json.h"
#include "tools/filter_dump/table/table.h"
#include "tools/shared/json_values.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

Json TotalsAsJson(const Totals& totals) {
  return {{"files", totals.files},
          {"files_without_filter", totals.files_without_filter},
          {"rows", totals.rows},
          {"filter_bytes", totals.filter_bytes},
          {"bits_per_key", OrNull(totals.bits_per_key())},
          {"false_positive_rate", totals.rate},
          {"false_positive_rate_is_exact", totals.rate_is_exact},
          {"reads_per_missing_row", OrNull(totals.reads)}};
}

Json ObservedAsJson(const LoggedAnswers& observed) {
  const FilterAnswers& answers = observed.answers;
  return {{"until", observed.when},
          {"negatives", answers.negatives},
          {"positives", answers.positives},
          {"true_positives", answers.true_positives},
          {"false_positive_rate", OrNull(answers.false_positive_rate())}};
}

Json FamilyAsJson(const FamilyTable& family) {
  Json json = {{"levels", Json::array()}, {"all", TotalsAsJson(family.all)}};
  for (const LevelTotals& level : family.levels) {
    Json totals = {{"level", level.level}};
    totals.update(TotalsAsJson(level.totals));
    json["levels"].push_back(totals);
  }
  if (!family.name.empty()) json["column_family"] = family.name;
  return json;
}

}  // namespace

Json TableAsJson(const TableReport& report) {
  Json json = {{"command", "table"},
               {"database", report.database.empty() ? Json(nullptr)
                                                    : Json(report.database)},
               {"files", Json::array()},
               {"totals", Json::array()}};
  for (const FamilyTable& family : report.families) {
    for (const TableEntry& entry : family.entries) {
      Json file = FileAsJson(entry.file);
      if (entry.facts.has_value()) file.update(FactsAsJson(*entry.facts));
      json["files"].push_back(file);
    }
    json["totals"].push_back(FamilyAsJson(family));
  }
  json["observed"] = report.observed.has_value()
                         ? ObservedAsJson(*report.observed)
                         : Json(nullptr);
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  return json;
}

}  // namespace linebloom::tools
