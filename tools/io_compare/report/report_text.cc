#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tools/command_line/table_printer.h"
#include "tools/io_compare/report/report.h"
#include "tools/io_compare/report/tables.h"

namespace linebloom::tools {
namespace {

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
  const std::string cells =
      facts.rows == 0
          ? ""
          : absl::StrCat(" cells of ", WithThousands(facts.rows), " rows");
  return absl::StrFormat("%s%s, %s: keys of %s bytes, values of %d bytes",
                         count, cells, from, ThreeDigits(facts.key_bytes),
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

}  // namespace

std::string ReportAsText(const Report& report) {
  std::vector<std::string> parts = {Header(report)};
  if (report.config.row_prefix > 0) {
    parts.push_back(RowsTable(report));
    parts.push_back(Notes(report));
    return absl::StrJoin(parts, "\n");
  }
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
