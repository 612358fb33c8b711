#include "tools/io_compare/report/tables.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/command_line/table_printer.h"
#include "tools/numbers/binomial_interval.h"
#include "tools/numbers/spread.h"
#include "tools/policies/policy_spec.h"

namespace linebloom::tools {
namespace {

const PolicyResult* FindResult(const Report& report, absl::string_view name) {
  for (const PolicyResult& result : report.results) {
    if (result.name == name) return &result;
  }
  return nullptr;
}

// For example "209x fewer" than `base`.
std::string Fewer(double reads, double base) {
  if (reads == base) return "same";
  if (reads == 0) return "all of them";
  if (base == 0) return "more";
  return reads < base ? absl::StrCat(ThreeDigits(base / reads), "x fewer")
                      : absl::StrCat(ThreeDigits(reads / base), "x more");
}

std::string AgainstCell(const PolicyResult& result, const PolicyResult& base) {
  return &result == &base ? "-"
                          : Fewer(result.measured.reads_per_lookup(),
                                  base.measured.reads_per_lookup());
}

std::string RangeText(double low, double high) {
  return absl::StrCat(ThreeDigits(low), "-", ThreeDigits(high));
}

// Explains the columns of a table, below it.
std::string Explained(absl::string_view text) {
  return absl::StrCat("  ", WrapText(text, kReportWidth - 2, 2), "\n");
}

size_t LongestLine(absl::string_view text) {
  size_t longest = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    longest = std::max(longest, line.size());
  }
  return longest;
}

// "0.953 (0.942)": observed and predicted.
std::string LevelCell(const PolicyResult& result, int level) {
  const auto& levels = result.measured.answers_by_level.levels;
  const auto answers = levels.find(level);
  if (answers == levels.end()) return "-";
  const auto rate = answers->second.false_positive_rate();
  std::string cell = rate.has_value() ? ThreeDigits(100 * *rate) : "-";
  const auto predicted = result.predicted.levels.find(level);
  if (predicted != result.predicted.levels.end()) {
    absl::StrAppend(&cell, " (", ThreeDigits(100 * predicted->second), ")");
  }
  return cell;
}

// One column for each of `levels`.
std::string LevelTable(const Report& report, const std::vector<int>& levels) {
  std::vector<std::string> header = {"False positives, %"};
  for (const int level : levels) {
    header.push_back(absl::StrCat("L", level, " (predicted)"));
  }
  TablePrinter table(header);
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PolicyResult& result = report.results[i];
    if (result.measured.answers_by_level.levels.empty()) continue;
    std::vector<std::string> row = {Label(report, i)};
    for (const int level : levels) row.push_back(LevelCell(result, level));
    table.AddRow(row);
  }
  return table.Text();
}

}  // namespace

std::string ReadsTable(const Report& report) {
  const PolicyResult* none = FindResult(report, kNoPolicy);
  const PolicyResult* bloom = FindResult(report, kRocksDbBloom);
  std::vector<std::string> header = {"Reads from disk", "data blocks",
                                     "per lookup", "95 % interval"};
  std::string explained =
      "data blocks: read by all lookups together. per lookup: on average.";
  if (none != nullptr) {
    header.push_back("against none");
    absl::StrAppend(&explained, " against none: than without a filter.");
  }
  if (bloom != nullptr) {
    header.push_back("against Bloom");
    absl::StrAppend(&explained, " against Bloom: than with ", kRocksDbBloom,
                    ".");
  }
  TablePrinter table(header);
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PolicyResult& result = report.results[i];
    const Measurement& m = result.measured;
    const Interval interval = m.reads_interval();
    std::vector<std::string> row = {Label(report, i),
                                    WithThousands(m.data_block_reads),
                                    ThreeDigits(m.reads_per_lookup()),
                                    RangeText(interval.low, interval.high)};
    if (none != nullptr) row.push_back(AgainstCell(result, *none));
    if (bloom != nullptr) row.push_back(AgainstCell(result, *bloom));
    table.AddRow(row);
  }
  return absl::StrCat(table.Text(), Explained(explained));
}

std::string FiltersTable(const Report& report) {
  TablePrinter table({"Filters", "MB", "bits/key", "false positives %",
                      "95 % interval", "predicted %", "build s"});
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PolicyResult& result = report.results[i];
    const Measurement& m = result.measured;
    std::vector<std::string> row = {Label(report, i), "-", "-", "-", "-", "-"};
    if (result.filter_bytes() > 0) {
      row[1] = ThreeDigits(static_cast<double>(result.filter_bytes()) / 1e6);
      row[2] = absl::StrFormat("%.2f", result.bits_per_key());
    }
    if (const auto rate = m.answers.false_positive_rate()) {
      const Interval interval = WilsonInterval(m.answers.false_positives(),
                                               m.answers.probes_without_key());
      row[3] = ThreeDigits(100 * *rate);
      row[4] = RangeText(100 * interval.low, 100 * interval.high);
    }
    if (result.predicted.all.has_value()) {
      row[5] = ThreeDigits(100 * *result.predicted.all);
    }
    row.push_back(ThreeDigits(result.build_seconds));
    table.AddRow(row);
  }
  return absl::StrCat(
      table.Text(),
      Explained(
          "MB: of all filters. false positives: of 100 times that a filter was "
          "asked for a key that its file lacks, how often it let the lookup "
          "through. predicted: from the filters' own bits. build: writing the "
          "database, once."));
}

// All levels whose filters were probed, split into tables that fit the width.
std::string LevelTables(const Report& report) {
  std::set<int> asked;
  for (const PolicyResult& result : report.results) {
    for (const auto& [level, answers] :
         result.measured.answers_by_level.levels) {
      asked.insert(level);
    }
  }
  std::vector<std::string> tables;
  std::vector<int> levels;
  for (const int level : asked) {
    levels.push_back(level);
    const std::string wider = LevelTable(report, levels);
    if (tables.empty() || LongestLine(wider) > kReportWidth) {
      levels = {level};
      tables.push_back(LevelTable(report, levels));
    } else {
      tables.back() = wider;
    }
  }
  if (tables.empty()) return "";
  return absl::StrCat(
      absl::StrJoin(tables, "\n"),
      Explained("Observed on each level, and in brackets predicted from the "
                "filters' own bits."));
}

std::string RowsTable(const Report& report) {
  TablePrinter table({"Data blocks per lookup", "filter of", "MB",
                      "missing row", "scan of it", "missing cell"});
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PolicyResult& result = report.results[i];
    const bool has_filter = !result.options.empty();
    table.AddRow(
        {Label(report, i), has_filter ? ToString(result.rows->keys) : "-",
         has_filter
             ? ThreeDigits(static_cast<double>(result.filter_bytes()) / 1e6)
             : "-",
         ThreeDigits(result.rows->missing_rows.reads_per_lookup()),
         ThreeDigits(result.rows->scans.reads_per_lookup()),
         ThreeDigits(result.measured.reads_per_lookup())});
  }
  return absl::StrCat(
      table.Text(),
      Explained("filter of: what of a key is in the filters. MB: of all "
                "filters. Then the data blocks that a Get of a missing row, a "
                "scan of one, and a Get of a missing cell read on average."));
}

std::string TimesTable(const Report& report) {
  TablePrinter table({"Time of a lookup, us", "mean (of rounds)",
                      "p50 (of rounds)", "p99 (of rounds)", "lookups/s"});
  const auto cell = [](const Spread& spread) {
    return absl::StrCat(ThreeDigits(spread.median), " (",
                        RangeText(spread.least, spread.most), ")");
  };
  for (size_t i = 0; i < report.results.size(); ++i) {
    const Measurement& m = report.results[i].measured;
    table.AddRow({Label(report, i), cell(m.LatencySpread(&Latency::mean)),
                  cell(m.LatencySpread(&Latency::p50)),
                  cell(m.LatencySpread(&Latency::p99)),
                  WithThousands(std::llround(m.LookupsPerSecond().median))});
  }
  const size_t rounds = report.results.front().measured.rounds.size();
  return absl::StrCat(
      table.Text(),
      Explained(absl::StrCat(
          "p50, p99: 50 and 99 of 100 lookups took no longer. Each is the "
          "median of ",
          rounds, rounds == 1 ? " round" : " rounds",
          ", with the least and the most of them. lookups/s: of all threads "
          "together, the median.")));
}

}  // namespace linebloom::tools
