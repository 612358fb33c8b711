#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/binomial_interval.h"
#include "tools/io_compare_database.h"
#include "tools/io_compare_report.h"
#include "tools/policy_spec.h"
#include "tools/table_printer.h"

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
  const std::string line =
      absl::StrCat(name, std::string(kIndent - name.size(), ' '), text);
  absl::StrAppend(to, WrapText(line, kWidth, kIndent), "\n");
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

std::string FilesInWords(const Report& report) {
  if (report.results.empty()) return "none";
  const Shape& shape = report.results.front().shape;
  const std::vector<LevelTotals> levels = shape.Levels();
  std::vector<std::string> files;
  std::vector<std::string> rows;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].files == 0) continue;
    files.push_back(absl::StrCat("L", i, " ", levels[i].files));
    rows.push_back(absl::StrCat("L", i, " ", WithThousands(levels[i].entries)));
  }
  return absl::StrCat(absl::StrJoin(files, ", "), " (", shape.SortedRuns(),
                      " sorted runs), the same for every policy; rows: ",
                      absl::StrJoin(rows, ", "));
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
  AddFact("rows", RowsInWords(report), &text);
  AddFact("files", FilesInWords(report), &text);
  AddFact("lookups", LookupsInWords(report), &text);
  AddFact("memory",
          absl::StrCat("filters and index blocks stay in memory; block cache "
                       "of ",
                       kBlockCacheBytes >> 10, " KiB, data blocks of ",
                       WithThousands(facts.block_bytes), " bytes"),
          &text);
  return text;
}

// "209x fewer" than `base`, "1.05x more", "same".
std::string Ratio(double reads, double base) {
  if (reads == base) return "same";
  if (reads == 0) return "none left";
  if (base == 0) return "";
  return reads < base ? absl::StrCat(ThreeDigits(base / reads), "x fewer")
                      : absl::StrCat(ThreeDigits(reads / base), "x more");
}

std::string ReadsTable(const Report& report) {
  const PolicyResult* none = FindResult(report, kNoPolicy);
  const PolicyResult* bloom = FindResult(report, kRocksDbBloom);
  std::vector<std::string> header = {"Reads from disk", "data blocks",
                                     "per lookup"};
  if (none != nullptr) header.push_back("against none");
  if (bloom != nullptr) header.push_back("against rocksdb-bloom");
  header.push_back("device bytes/lookup");
  TablePrinter table(header);
  for (size_t i = 0; i < report.results.size(); ++i) {
    const Measurement& m = report.results[i].measured;
    std::vector<std::string> row = {Label(report, i),
                                    WithThousands(m.data_block_reads),
                                    ThreeDigits(m.reads_per_lookup())};
    for (const PolicyResult* base : {none, bloom}) {
      if (base == nullptr) continue;
      row.push_back(
          base == &report.results[i]
              ? "-"
              : Ratio(m.reads_per_lookup(), base->measured.reads_per_lookup()));
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
    if (m.false_positive_rate().has_value()) {
      const Interval interval =
          WilsonInterval(m.filter_false_positives, m.negative_probes());
      row[3] = ThreeDigits(100 * *m.false_positive_rate());
      row[4] = absl::StrCat(ThreeDigits(100 * interval.low), " to ",
                            ThreeDigits(100 * interval.high));
    }
    if (result.predicted_false_positive_rate.has_value()) {
      row[5] = ThreeDigits(100 * *result.predicted_false_positive_rate);
    }
    row.push_back(ThreeDigits(result.build_seconds));
    table.AddRow(row);
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

// The policy that the closing sentence is about: the last linebloom, or else
// the one that reads least.
size_t PolicyToPraise(const Report& report) {
  size_t best = 0;
  bool is_linebloom = false;
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PolicyResult& result = report.results[i];
    if (absl::StrContains(result.options, "linebloom")) {
      best = i;
      is_linebloom = true;
    } else if (!is_linebloom &&
               result.measured.data_block_reads <
                   report.results[best].measured.data_block_reads) {
      best = i;
    }
  }
  return best;
}

std::string ResultInWords(const Report& report) {
  if (report.results.size() < 2) return "";
  const size_t praised = PolicyToPraise(report);
  const PolicyResult& best = report.results[praised];
  const double reads = best.measured.reads_per_lookup();
  std::string text =
      absl::StrCat("With ", Label(report, praised), " a lookup read ",
                   ThreeDigits(reads), " data blocks on average");
  std::vector<std::string> comparisons;
  for (const char* name : {kNoPolicy, kRocksDbBloom}) {
    const PolicyResult* other = FindResult(report, name);
    if (other == nullptr || other == &best) continue;
    const double base = other->measured.reads_per_lookup();
    const std::string whose = name == std::string(kNoPolicy)
                                  ? "without a filter"
                                  : absl::StrCat("with ", name);
    if (reads > 0 && base > 0) {
      comparisons.push_back(absl::StrFormat(
          "%s %s (%s)", whose, ThreeDigits(base),
          reads < base / 10
              ? absl::StrCat(ThreeDigits(base / reads), " times as many")
              : absl::StrFormat("%s reads %.2f times as many",
                                Label(report, praised), reads / base)));
    } else {
      comparisons.push_back(absl::StrCat(whose, " ", ThreeDigits(base)));
    }
  }
  if (!comparisons.empty()) {
    absl::StrAppend(&text, "; ", absl::StrJoin(comparisons, ", "));
  }
  return absl::StrCat(WrapText(absl::StrCat(text, "."), kWidth, 0), "\n");
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
  std::vector<std::string> parts = {Header(report), ReadsTable(report),
                                    FiltersTable(report), TimesTable(report)};
  for (const std::string& part : {Notes(report), ResultInWords(report)}) {
    if (!part.empty()) parts.push_back(part);
  }
  return absl::StrJoin(parts, "\n");
}

}  // namespace linebloom::tools
