#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/io_compare/report/report.h"
#include "tools/shared/numbers.h"
#include "tools/shared/policies.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

constexpr size_t kReportWidth = 100;

void AddFact(absl::string_view name, absl::string_view text, std::string* to) {
  constexpr size_t kIndent = 10;
  const std::string margin(kIndent, ' ');
  std::string lines = WrapText(text, kReportWidth - kIndent, 0);
  absl::StrReplaceAll({{"\n", absl::StrCat("\n", margin)}}, &lines);
  absl::StrAppend(to, name, margin.substr(name.size()), lines, "\n");
}

std::string RowsInWords(const Report& report) {
  const WorkloadFacts& facts = report.workload;
  const std::string count = WithThousands(facts.entries);
  if (facts.source == "source_db") {
    return absl::StrCat(count, " entries of '", facts.source_path, "'");
  }
  const std::string from = facts.source == "key_file"
                               ? absl::StrCat("from '", facts.source_path, "'")
                               : "generated";
  return absl::StrFormat("%s, %s: keys of %s bytes, values of %d bytes", count,
                         from, ThreeDigits(facts.key_bytes),
                         report.config.value_size);
}

// "L0 3, L1 1, L3 29", where `number` selects what to count.
std::string PerLevel(const Shape& shape, uint64_t LevelTotals::*number) {
  const std::vector<LevelTotals> levels = shape.Levels();
  std::vector<std::string> parts;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].files == 0) continue;
    parts.push_back(
        absl::StrCat("L", i, " ", WithThousands(levels[i].*number)));
  }
  return absl::StrJoin(parts, ", ");
}

std::string LookupsInWords(const Report& report) {
  const WorkloadFacts& facts = report.workload;
  std::vector<std::string> parts;
  if (facts.asked_missing > 0) {
    parts.push_back(absl::StrCat(WithThousands(facts.asked_missing),
                                 " missing keys (", facts.missing, ")",
                                 facts.skew.empty() ? "" : ": ", facts.skew));
  }
  if (facts.asked_existing > 0) {
    parts.push_back(
        absl::StrCat(WithThousands(facts.asked_existing), " existing rows"));
  }
  const uint32_t threads = report.config.threads;
  const uint32_t rounds = report.config.rounds;
  return absl::StrCat(
      absl::StrJoin(parts, " and "), "; ",
      rounds == 1 ? "one policy after the other"
                  : absl::StrCat("in ", rounds,
                                 " rounds, each with all policies in turn"),
      "; ", threads, threads == 1 ? " thread" : " threads", ", seed ",
      report.config.seed);
}

std::string Header(const Report& report) {
  const Machine& machine = report.machine;
  const WorkloadFacts& facts = report.workload;
  std::string text;
  AddFact("machine",
          absl::StrCat(machine.cpu, ", ", machine.cores,
                       machine.cores == 1 ? " core, " : " cores, ",
                       machine.kernel, "; RocksDB ", machine.rocksdb_version),
          &text);
  AddFact("folder",
          absl::StrCat(facts.folder, " on ", machine.device, " (",
                       machine.file_system, "), ",
                       facts.direct_io ? "direct I/O"
                                       : "no direct I/O: pages are dropped "
                                         "from the page cache instead"),
          &text);
  const Shape& shape = report.results.front().shape;
  AddFact("rows", RowsInWords(report), &text);
  AddFact("", PerLevel(shape, &LevelTotals::entries), &text);
  AddFact("files",
          absl::StrCat(PerLevel(shape, &LevelTotals::files), ": ",
                       shape.SortedRuns(), " sorted runs, ",
                       report.problems.empty() ? "the same" : "not the same",
                       " for every policy"),
          &text);
  AddFact("lookups", LookupsInWords(report), &text);
  AddFact("memory",
          absl::StrCat("filters and index blocks stay in memory; block cache "
                       "of ",
                       WithThousands(report.config.block_cache_size),
                       " bytes, data blocks of ",
                       WithThousands(facts.block_bytes), " bytes"),
          &text);
  return text;
}

std::string Notes(const Report& report) {
  std::string text;
  for (size_t i = 0; i < report.results.size(); ++i) {
    if (Label(report, i) == report.results[i].name) continue;
    absl::StrAppend(&text, Label(report, i), " is ", report.results[i].name,
                    "\n");
  }
  for (const std::string& note : report.notes) {
    absl::StrAppend(&text, WrapText(absl::StrCat("- ", note), kReportWidth, 2),
                    "\n");
  }
  return text;
}

// The tables, each followed by an explanation of its columns.

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

}  // namespace

std::string ReportAsText(const Report& report) {
  std::vector<std::string> parts = {Header(report)};
  parts.push_back(ReadsTable(report));
  parts.push_back(FiltersTable(report));
  for (const std::string& part :
       {LevelTables(report), TimesTable(report), Notes(report)}) {
    if (!part.empty()) parts.push_back(part);
  }
  const std::string result = ResultInWords(report);
  if (!result.empty()) {
    parts.push_back(absl::StrCat(WrapText(result, kReportWidth, 0), "\n"));
  }
  return absl::StrJoin(parts, "\n");
}

}  // namespace linebloom::tools
