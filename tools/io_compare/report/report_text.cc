#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/command_line/table_printer.h"
#include "tools/io_compare/database.h"
#include "tools/io_compare/report/report.h"
#include "tools/numbers/binomial_interval.h"
#include "tools/policies/policy_spec.h"

namespace linebloom::tools {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kLongestLabel = 24;

// What a policy is called in the tables: its name, or for long ones the name's
// beginning and a number that the list below the tables explains.
std::string Label(const Report& report, size_t i) {
  const std::string& name = report.results[i].name;
  if (name.size() <= kLongestLabel) return name;
  std::string id = name;
  if (absl::StartsWith(id, "{id=")) id = id.substr(4);
  id = id.substr(0, std::min<size_t>(id.find_first_of(":;}"), 16));
  return absl::StrCat(id, " [", i + 1, "]");
}

const PolicyResult* FindResult(const Report& report, absl::string_view name) {
  for (const PolicyResult& result : report.results) {
    if (result.name == name) return &result;
  }
  return nullptr;
}

void AddFact(absl::string_view name, absl::string_view text, std::string* to) {
  constexpr size_t kIndent = 10;
  const std::string margin(kIndent, ' ');
  std::string lines = WrapText(text, kWidth - kIndent, 0);
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
  const std::string cells =
      facts.rows == 0
          ? ""
          : absl::StrCat(" cells of ", WithThousands(facts.rows), " rows");
  return absl::StrFormat("%s%s, %s: keys of %s bytes, values of %d bytes",
                         count, cells, from, ThreeDigits(facts.key_bytes),
                         report.config.value_size);
}

// "L0 3, L1 1, L3 29", of whatever `number` takes from a level.
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
                                 " missing keys (", facts.missing, ")"));
  }
  if (facts.asked_existing > 0) {
    parts.push_back(
        absl::StrCat(WithThousands(facts.asked_existing), " existing rows"));
  }
  const uint32_t threads = report.config.threads;
  return absl::StrCat(absl::StrJoin(parts, " and "), "; ", threads,
                      threads == 1 ? " thread" : " threads", ", seed ",
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
                       kBlockCacheBytes >> 10, " KiB, data blocks of ",
                       WithThousands(facts.block_bytes), " bytes"),
          &text);
  return text;
}

// "209x fewer" than `base`.
std::string Fewer(double reads, double base) {
  if (reads == base) return "same";
  if (reads == 0) return "all of them";
  return reads < base ? absl::StrCat(ThreeDigits(base / reads), "x fewer")
                      : absl::StrCat(ThreeDigits(reads / base), "x more");
}

std::string ReadsTable(const Report& report) {
  const PolicyResult* none = FindResult(report, kNoPolicy);
  const PolicyResult* bloom = FindResult(report, kRocksDbBloom);
  std::vector<std::string> header = {"Reads from disk", "data blocks",
                                     "per lookup"};
  if (none != nullptr) header.push_back("against none");
  if (bloom != nullptr) header.push_back("times rocksdb-bloom");
  header.push_back("device bytes/lookup");
  TablePrinter table(header);
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PolicyResult& result = report.results[i];
    const Measurement& m = result.measured;
    const double reads = m.reads_per_lookup();
    std::vector<std::string> row = {Label(report, i),
                                    WithThousands(m.data_block_reads),
                                    ThreeDigits(reads)};
    if (none != nullptr) {
      row.push_back(none == &result
                        ? "-"
                        : Fewer(reads, none->measured.reads_per_lookup()));
    }
    if (bloom != nullptr) {
      const double base = bloom->measured.reads_per_lookup();
      row.push_back(bloom == &result || base == 0 ? "-"
                                                  : ThreeDigits(reads / base));
    }
    row.push_back(m.device_bytes.has_value()
                      ? ThreeDigits(static_cast<double>(*m.device_bytes) /
                                    static_cast<double>(m.lookups))
                      : "unknown");
    table.AddRow(row);
  }
  return table.Text();
}

std::string FiltersTable(const Report& report) {
  TablePrinter table({"Filters", "MB", "bits/key", "false positives %",
                      "95 % interval", "predicted %", "build s"});
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PolicyResult& result = report.results[i];
    const Measurement& m = result.measured;
    std::vector<std::string> row = {Label(report, i), "-", "-", "-", "-", "-"};
    if (result.filter_bytes > 0) {
      row[1] = ThreeDigits(static_cast<double>(result.filter_bytes) / 1e6);
      row[2] = absl::StrFormat("%.2f", result.bits_per_key());
    }
    if (const auto rate = m.answers.false_positive_rate()) {
      const Interval interval = WilsonInterval(m.answers.false_positives(),
                                               m.answers.probes_without_key());
      row[3] = ThreeDigits(100 * *rate);
      row[4] = absl::StrCat(ThreeDigits(100 * interval.low), " to ",
                            ThreeDigits(100 * interval.high));
    }
    if (result.predicted.all.has_value()) {
      row[5] = ThreeDigits(100 * *result.predicted.all);
    }
    row.push_back(ThreeDigits(result.build_seconds));
    table.AddRow(row);
  }
  return table.Text();
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

// A column for each of `levels`.
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

// All levels whose filters were asked, no more in a table than fit beside each
// other. "" where none were.
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
    if (tables.empty() || LongestLine(wider) > kWidth) {
      levels = {level};
      tables.push_back(LevelTable(report, levels));
    } else {
      tables.back() = wider;
    }
  }
  return absl::StrJoin(tables, "\n");
}

// Of --row_prefix.
std::string RowsTable(const Report& report) {
  TablePrinter table({"Data blocks per lookup", "filter of", "MB",
                      "missing row", "scan of it", "missing cell"});
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PolicyResult& result = report.results[i];
    const bool has_filter = !result.options.empty();
    table.AddRow(
        {Label(report, i), has_filter ? ToString(result.rows->keys) : "-",
         has_filter
             ? ThreeDigits(static_cast<double>(result.filter_bytes) / 1e6)
             : "-",
         ThreeDigits(result.rows->missing_rows.reads_per_lookup()),
         ThreeDigits(result.rows->scans.reads_per_lookup()),
         ThreeDigits(result.measured.reads_per_lookup())});
  }
  return table.Text();
}

std::string TimesTable(const Report& report) {
  TablePrinter table(
      {"Time of a lookup", "mean us", "p50 us", "p99 us", "lookups/s"});
  for (size_t i = 0; i < report.results.size(); ++i) {
    const Measurement& m = report.results[i].measured;
    table.AddRow({Label(report, i), ThreeDigits(m.latency.mean),
                  ThreeDigits(m.latency.p50), ThreeDigits(m.latency.p99),
                  WithThousands(std::llround(m.lookups_per_second))});
  }
  return table.Text();
}

// The policy that the closing sentence is about: linebloom if it is there, or
// else the one that reads least.
size_t PolicyInFocus(const Report& report) {
  size_t least = 0;
  for (size_t i = 0; i < report.results.size(); ++i) {
    if (report.results[i].name == "linebloom") return i;
    if (report.results[i].measured.data_block_reads <
        report.results[least].measured.data_block_reads) {
      least = i;
    }
  }
  return least;
}

std::string ResultInWords(const Report& report) {
  if (report.results.size() < 2) return "";
  const size_t focus = PolicyInFocus(report);
  const double reads = report.results[focus].measured.reads_per_lookup();
  std::string text =
      absl::StrCat("A lookup read ", ThreeDigits(reads),
                   " data blocks on average with ", Label(report, focus));
  const PolicyResult* none = FindResult(report, kNoPolicy);
  if (none != nullptr && none != &report.results[focus]) {
    const double base = none->measured.reads_per_lookup();
    absl::StrAppend(
        &text, " and ", ThreeDigits(base), " without a filter",
        reads > 0 && base > reads
            ? absl::StrCat(", ", ThreeDigits(base / reads), " times as many")
            : "");
  }
  absl::StrAppend(&text, ".");
  const PolicyResult* bloom = FindResult(report, kRocksDbBloom);
  if (bloom != nullptr && bloom != &report.results[focus] &&
      bloom->measured.data_block_reads > 0) {
    absl::StrAppendFormat(&text, " That is %.2f times the reads of %s.",
                          reads / bloom->measured.reads_per_lookup(),
                          kRocksDbBloom);
  }
  return absl::StrCat(WrapText(text, kWidth, 0), "\n");
}

std::string Notes(const Report& report) {
  std::string text;
  for (size_t i = 0; i < report.results.size(); ++i) {
    if (Label(report, i) == report.results[i].name) continue;
    absl::StrAppend(&text, Label(report, i), " is ", report.results[i].name,
                    "\n");
  }
  for (const std::string& note : report.notes) {
    absl::StrAppend(&text, WrapText(absl::StrCat("- ", note), kWidth, 2), "\n");
  }
  return text;
}

}  // namespace

std::string ReportAsText(const Report& report) {
  if (report.config.row_prefix > 0) {
    return absl::StrJoin({Header(report), RowsTable(report), Notes(report)},
                         "\n");
  }
  std::vector<std::string> parts = {Header(report), ReadsTable(report),
                                    FiltersTable(report)};
  for (const std::string& part : {LevelTables(report), TimesTable(report),
                                  Notes(report), ResultInWords(report)}) {
    if (!part.empty()) parts.push_back(part);
  }
  return absl::StrJoin(parts, "\n");
}

}  // namespace linebloom::tools
