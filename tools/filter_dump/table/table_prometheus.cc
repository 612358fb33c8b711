#include <string>

#include "absl/strings/str_cat.h"
#include "filter_policy/rocksdb/filter_metric_set.h"
#include "filter_policy/rocksdb/prometheus_text.h"
#include "tools/filter_dump/table/table.h"

namespace linebloom::tools {
namespace {

void AddFiles(const std::string& database, const FamilyTable& family,
              FilterMetricSet* metrics) {
  for (const TableEntry& entry : family.entries) {
    if (!entry.facts.has_value()) continue;
    const FileFacts& facts = *entry.facts;
    MeteredFile file;
    file.level = entry.file.level;
    file.rows = facts.rows();
    file.policy = facts.properties.filter_policy_name;
    file.keys = facts.keys.value_or(0);
    file.bytes = facts.bytes;
    metrics->AddFile(database, family.name, file);
  }
}

}  // namespace

std::string TableAsPrometheus(const TableReport& report) {
  FilterMetricSet metrics;
  Metric rate("linebloom_expected_false_positive_rate", "gauge",
              "Share of missing keys that filters let pass.");
  Metric reads("linebloom_expected_reads_per_missing_row", "gauge",
               "Data blocks that a missing row costs.");
  Metric problems("linebloom_problems", "gauge",
                  "What is wrong with files; stderr says what.");
  const std::string& database = report.database;
  if (report.observed.has_value()) {
    metrics.AddAnswers(database, report.observed->answers);
  }
  for (const FamilyTable& family : report.families) {
    AddFiles(database, family, &metrics);
    for (const LevelTotals& level : family.levels) {
      const std::string number = absl::StrCat(level.level);
      const MetricLabels labels = {{"database", database},
                                   {"column_family", family.name},
                                   {"level", number}};
      rate.Add(labels, absl::StrCat(level.totals.rate));
      reads.Add(labels, absl::StrCat(level.totals.reads.value_or(0)));
    }
  }
  problems.Add({{"database", database}}, report.problems.size());
  return absl::StrCat(metrics.Text(), rate.Text(), reads.Text(),
                      problems.Text());
}

}  // namespace linebloom::tools
