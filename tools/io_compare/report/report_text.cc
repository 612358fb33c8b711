#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tools/io_compare/report/report.h"
#include "tools/shared/policies.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string Facts(const Json& facts) {
  constexpr size_t kIndent = 10;
  const std::string margin(kIndent, ' ');
  const std::string new_line = "\n" + margin;
  std::string text;
  for (const auto& [name, fact] : facts.items()) {
    std::vector<std::string> lines =
        absl::StrSplit(fact.get<std::string>(), '\n');
    for (std::string& line : lines) {
      line = absl::StrReplaceAll(WrapText(line, kTextWidth - kIndent, 0),
                                 {{"\n", new_line}});
    }
    absl::StrAppend(&text, name, margin.substr(name.size()),
                    absl::StrJoin(lines, new_line), "\n");
  }
  return text;
}

std::string Notes(const Json& report) {
  std::string text;
  for (const Json& result : report["results"]) {
    if (result["label"] == result["policy"]) continue;
    absl::StrAppend(&text, Fill("{/label} is {/policy}\n", result));
  }
  return text + BulletsText(report["notes"]);
}

// For example "209x fewer" than `base`.
std::string Fewer(double reads, double base) {
  if (reads == base) return "same";
  if (reads == 0) return "all of them";
  if (base == 0) return "more";
  return reads < base ? absl::StrCat(ThreeDigits(base / reads), "x fewer")
                      : absl::StrCat(ThreeDigits(reads / base), "x more");
}

// Explains the columns of a table, below it.
std::string Explained(absl::string_view text) {
  return absl::StrCat("  ", WrapText(text, kTextWidth - 2, 2), "\n");
}

std::string ReadsTable(const Json& results) {
  std::vector<Column> columns = {
      {"Reads from disk", "{/label}"},
      {"data blocks", "{/data_block_reads:,}"},
      {"per lookup", "{/reads_per_lookup:3}"},
      {"95 % interval",
       "{/reads_per_lookup_low:3}-{/reads_per_lookup_high:3}"}};
  std::string explained =
      "data blocks: read by all lookups together. per lookup: on average.";
  Json rows = results;
  const auto compare_with = [&](const std::string& policy,
                                const std::string& heading,
                                absl::string_view than) {
    const auto base = std::find_if(
        results.begin(), results.end(),
        [&](const Json& result) { return result["policy"] == policy; });
    if (base == results.end()) return;
    columns.push_back({heading, absl::StrCat("{/", heading, "}")});
    absl::StrAppend(&explained, " ", heading, ": than ", than, ".");
    for (size_t i = 0; i < rows.size(); ++i) {
      if (&results[i] == &*base) continue;
      rows[i][heading] =
          Fewer(results[i]["reads_per_lookup"], (*base)["reads_per_lookup"]);
    }
  };
  compare_with(kNoPolicy, "against none", "without a filter");
  compare_with(kRocksDbBloom, "against Bloom",
               absl::StrCat("with ", kRocksDbBloom));
  return absl::StrCat(TextTable(columns, rows), Explained(explained));
}

std::string FiltersTable(const Json& results) {
  return absl::StrCat(
      TextTable({{"Filters", "{/label}"},
                 {"MB", "{/filter_bytes:MB}"},
                 {"bits/key", "{/bits_per_key:.2f}"},
                 {"false positives %", "{/false_positive_rate:%}"},
                 {"95 % interval",
                  "{/false_positive_rate_low:%}-"
                  "{/false_positive_rate_high:%}"},
                 {"predicted %", "{/predicted_false_positive_rate:%}"},
                 {"build s", "{/build_seconds:3}"}},
                results),
      Explained(
          "MB: of all filters. false positives: of 100 times that a filter was "
          "asked for a key that its file lacks, how often it let the lookup "
          "through. predicted: from the filters' own bits. build: writing the "
          "database, once."));
}

size_t LongestLine(absl::string_view text) {
  size_t longest = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    longest = std::max(longest, line.size());
  }
  return longest;
}

// All levels whose filters were probed, split into tables that fit the width.
std::string LevelTables(const Json& results) {
  std::set<int> levels;
  Json rows = Json::array();
  for (const Json& result : results) {
    if (result["levels"].empty()) continue;
    Json row = {{"label", result["label"]}};
    for (const Json& level : result["levels"]) {
      levels.insert(level["level"].get<int>());
      row[absl::StrCat(level["level"].get<int>())] = level;
    }
    rows.push_back(row);
  }
  if (rows.empty()) return "";
  const Column policies = {"False positives, %", "{/label}"};
  std::vector<Column> columns = {policies};
  std::vector<std::string> tables;
  for (const int level : levels) {
    const std::string observed =
        absl::StrCat("{/", level, "/false_positive_rate:%}");
    const Column column = {
        absl::StrCat("L", level, " (predicted)"),
        absl::StrCat(observed, " ({/", level,
                     "/predicted_false_positive_rate:%})|", observed)};
    columns.push_back(column);
    const std::string wider = TextTable(columns, rows);
    if (tables.empty() || LongestLine(wider) > kTextWidth) {
      columns = {policies, column};
      tables.push_back(TextTable(columns, rows));
    } else {
      tables.back() = wider;
    }
  }
  return absl::StrCat(
      absl::StrJoin(tables, "\n"),
      Explained("Observed on each level, and in brackets predicted from the "
                "filters' own bits."));
}

std::string TimesTable(const Json& results) {
  std::vector<Column> columns = {{"Time of a lookup, us", "{/label}"}};
  for (const std::string time : {"mean", "p50", "p99"}) {
    const std::string pointer = "/latency_us/" + time;
    columns.push_back({time + " (of rounds)",
                       absl::StrCat("{", pointer, ":3} ({", pointer,
                                    "_least:3}-{", pointer, "_most:3})")});
  }
  columns.push_back({"lookups/s", "{/lookups_per_second:,}"});
  const size_t rounds = results[0]["rounds"].size();
  return absl::StrCat(
      TextTable(columns, results),
      Explained(absl::StrCat(
          "p50, p99: 50 and 99 of 100 lookups took no longer. Each is the "
          "median of ",
          rounds, rounds == 1 ? " round" : " rounds",
          ", with the least and the most of them. lookups/s: of all threads "
          "together, the median.")));
}

}  // namespace

std::string ReportAsText(const Json& report) {
  const Json& results = report["results"];
  std::vector<std::string> parts = {
      Facts(report["facts"]),
      ReadsTable(results),
      FiltersTable(results),
      LevelTables(results),
      TimesTable(results),
      Notes(report),
      WrapText(report["result"].get<std::string>(), kTextWidth, 0)};
  if (!parts.back().empty()) parts.back() += "\n";
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return absl::StrJoin(parts, "\n");
}

}  // namespace linebloom::tools
