// filter_dump: shows which filter an SSTable has, how good it is, and whether
// it is sound.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/filter_dump/check_options.h"
#include "tools/filter_dump/config.h"
#include "tools/filter_dump/lines.h"
#include "tools/filter_dump/raw.h"
#include "tools/filter_dump/table.h"
#include "tools/filter_dump/tree.h"
#include "tools/filter_dump/verify_report.h"
#include "tools/shared/command_line.h"
#include "tools/shared/config_flag.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

constexpr char kUsage[] =
    "shows the filters of RocksDB's SSTables, linebloom's and RocksDB's own.\n"
    "\n"
    "  filter_dump 000123.sst\n"
    "  filter_dump --db=/var/lib/my_database\n"
    "  filter_dump --db=/var/lib/my_database --html=tree.html\n"
    "  filter_dump --db=/var/lib/my_database --format=prometheus\n"
    "  filter_dump --db=/var/lib/my_database --command=verify\n"
    "  filter_dump --command=lines --svg=lines.svg 000123.sst\n"
    "  filter_dump --command=raw 000123.sst | less\n"
    "  filter_dump --check_options=my_options.ini\n"
    "\n"
    "--command=\n"
    "  table   for each file, level and database: its filter and the filter's\n"
    "          size, the false-positive rate to expect, and the data blocks\n"
    "          that a lookup of a missing row will read\n"
    "  lines   how many probes the keys of a filter's lines have, or how full\n"
    "          the lines are; the worst ones; how much they add to the rate\n"
    "  verify  reads the files and checks all blocks, checks that no filter\n"
    "          rejects one of its own rows, and measures the rate\n"
    "  raw     the bytes of one file's filter, annotated\n"
    "\n"
    "--check_options=FILE says for each column family of an options file "
    "which\n"
    "filter its policy yields: RocksDB loads a name that it doesn't know as "
    "no\n"
    "filter, without a word.\n"
    "\n"
    "Files are only read, and another process may have the database open.\n"
    "Exits with 0; with 1 if something is wrong with a file, and stderr says\n"
    "what; with 2 for bad usage or files that are not SSTables.";

// Draws the trees, that of --before first.
absl::Status WriteTrees(const FilterDumpConfig& config,
                        const std::vector<TableReport>& reports,
                        const nlohmann::ordered_json& json) {
  absl::Status status;
  if (!config.html.empty()) {
    status = WriteFlagFile("--html", config.html,
                           TreesAsHtml(reports, json, config.typed));
  }
  if (status.ok() && !config.svg.empty()) {
    status =
        WriteFlagFile("--svg", config.svg, FiguresAsSvg(DrawTrees(reports)));
  }
  return status;
}

absl::StatusOr<Outcome> RunTable(const FilterDumpConfig& config) {
  std::vector<TableReport> reports;
  if (!config.before.empty()) {
    FilterDumpConfig of_before = config;
    of_before.db = config.before;
    absl::StatusOr<TableReport> before = MakeTable(of_before);
    if (!before.ok()) return before.status();
    reports.push_back(*std::move(before));
  }
  absl::StatusOr<TableReport> made = MakeTable(config);
  if (!made.ok()) return made.status();
  reports.push_back(*std::move(made));

  const TableReport& report = reports.back();
  Outcome outcome{config.format == "prometheus" ? TableAsPrometheus(report)
                                                : TableAsText(report),
                  TableAsJson(report),
                  {},
                  0};
  for (const TableReport& one : reports) {
    outcome.problems.insert(outcome.problems.end(), one.problems.begin(),
                            one.problems.end());
    outcome.exit_code = std::max(outcome.exit_code, one.exit_code);
  }
  if (!config.before.empty()) {
    outcome.json["before"] = TableAsJson(reports.front());
  }
  const absl::Status drawn = WriteTrees(config, reports, outcome.json);
  if (!drawn.ok()) return drawn;
  return outcome;
}

absl::StatusOr<Outcome> RunVerify(const FilterDumpConfig& config) {
  const absl::StatusOr<VerifyReport> report = Verify(config);
  if (!report.ok()) return report.status();
  return Outcome{VerifyAsText(*report), VerifyAsJson(*report), report->problems,
                 report->exit_code};
}

absl::StatusOr<Outcome> RunLines(const FilterDumpConfig& config) {
  const absl::StatusOr<LinesReport> report = ReadLines(config);
  if (!report.ok()) return report.status();
  if (!config.svg.empty() && report->lines > 0) {
    const absl::Status status =
        WriteFlagFile("--svg", config.svg, LinesAsSvg(*report));
    if (!status.ok()) return status;
  }
  return Outcome{LinesAsText(*report), LinesAsJson(*report), report->problems,
                 report->exit_code};
}

absl::StatusOr<Outcome> RunRaw(const FilterDumpConfig& config) {
  const absl::StatusOr<RawReport> report = ReadRaw(config);
  if (!report.ok()) return report.status();
  Outcome outcome{"", RawAsJson(*report), report->problems, report->exit_code};
  if (config.out.empty()) {
    outcome.text = RawAsText(*report);
    return outcome;
  }
  const absl::Status status = WriteRaw(*report, config.out);
  if (!status.ok()) return status;
  return outcome;
}

absl::StatusOr<Outcome> RunCheckOptions(const FilterDumpConfig& config) {
  const absl::StatusOr<CheckedOptions> checked =
      CheckOptionsFile(config.check_options);
  if (!checked.ok()) return checked.status();
  return Outcome{CheckAsText(*checked), CheckAsJson(*checked),
                 checked->problems, ExitCodeOf(checked->problems)};
}

absl::StatusOr<Outcome> Run(const FilterDumpConfig& config) {
  const absl::Status status = ValidateConfig(config);
  if (!status.ok()) return status;
  if (!config.check_options.empty()) return RunCheckOptions(config);
  switch (CommandOf(config)) {
    case Command::kTable:
      return RunTable(config);
    case Command::kVerify:
      return RunVerify(config);
    case Command::kLines:
      return RunLines(config);
    case Command::kRaw:
      return RunRaw(config);
  }
  return absl::InternalError("no such command");
}

}  // namespace
}  // namespace linebloom::tools

int main(int argc, char** argv) {
  using namespace linebloom::tools;  // NOLINT(google-build-using-namespace)
  FilterDumpConfig& config = ConfigFromFlags<FilterDumpConfig>();
  config.typed = CommandText(argc, argv);
  for (std::string& file : ParseFlagsAndArgumentsOrExit(argc, argv, kUsage)) {
    config.files.push_back(std::move(file));
  }
  return RunTool("filter_dump", [&] { return Run(config); });
}
