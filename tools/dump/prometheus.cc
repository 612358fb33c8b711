// A database's report in Prometheus's text format.
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "filter_policy/policy/printable.h"
#include "nlohmann/json.hpp"
#include "tools/dump/inputs.h"

namespace linebloom::tools {
namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

// A metric, and the member of the report that it is.
struct Named {
  const char* metric;
  const char* member;
};

constexpr Named kOfLevels[] = {
    {"linebloom_files", "files"},
    {"linebloom_files_without_filter", "files_without_filter"},
    {"linebloom_rows", "rows"},
    {"linebloom_filter_bytes", "filter_bytes"},
    {"linebloom_bits_per_key", "bits_per_key"},
    {"linebloom_expected_false_positive_rate", "false_positive_rate"},
    {"linebloom_expected_reads_per_missing_row", "reads_per_missing_row"}};
// RocksDB's tickers, which only grow, unlike their differences.
constexpr Named kObserved[] = {
    {"linebloom_filter_probes_total", "probes"},
    {"linebloom_filter_negatives_total", "negatives"},
    {"linebloom_filter_true_positives_total", "true_positives"}};
constexpr Named kAuto[] = {
    {"linebloom_auto_bits_per_key", "bits_per_key"},
    {"linebloom_auto_reads", "reads_per_1000_lookups"},
    {"linebloom_auto_reads_with_10_bits", "reads_with_10_bits"}};

// By metric, because the format wants its samples next to each other.
using Samples = std::map<std::string, std::string>;

// Adds the members of `json` that are not null. Prometheus drops a text with
// one byte that is not UTF-8; in labels such bytes become \xff, and control
// characters \x1b.
void Add(absl::Span<const Named> names, const Labels& labels, const Json& json,
         Samples* samples) {
  std::string text;
  for (const auto& [label, value] : labels) {
    absl::StrAppend(
        &text, text.empty() ? "{" : ",", label, "=\"",
        absl::StrReplaceAll(Printable(value, "\n"),
                            {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}),
        "\"");
  }
  for (const auto& [metric, member] : names) {
    if (json.is_null() || json[member].is_null()) continue;
    absl::StrAppend(&(*samples)[metric], metric, text, "} ",
                    json[member].dump(), "\n");
  }
}

}  // namespace

std::string AsPrometheus(const Json& report) {
  Samples samples;
  const std::string database = report["database"];
  const Labels labels = {{"database", database}};
  for (const Json& family : report["totals"]) {
    for (const Json& level : family["levels"]) {
      Add(kOfLevels,
          {{"database", database},
           {"column_family", family["column_family"]},
           {"level", level["level"].dump()}},
          level, &samples);
    }
  }
  Add(kObserved, labels, report["observed"], &samples);
  Add(kAuto, labels, report["auto"], &samples);
  Add({{"linebloom_problems", "count"}}, labels,
      {{"count", report["problems"].size()}}, &samples);
  std::string text;
  for (const auto& [name, lines] : samples) {
    absl::StrAppend(&text, "# TYPE ", name,
                    absl::EndsWith(name, "_total") ? " counter\n" : " gauge\n",
                    lines);
  }
  return text;
}

}  // namespace linebloom::tools
