// filter_dump: shows which filter an SSTable has, how good it is, and whether
// it is sound.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/filter_dump/check_options.h"
#include "tools/filter_dump/config.h"
#include "tools/filter_dump/lines.h"
#include "tools/filter_dump/raw.h"
#include "tools/filter_dump/table.h"
#include "tools/filter_dump/verify_report.h"
#include "tools/shared/command_line.h"
#include "tools/shared/config_flag.h"
#include "tools/shared/page.h"
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
    "  filter_dump --command=lines --html=lines.html 000123.sst\n"
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

absl::StatusOr<Outcome> RunVerify(const FilterDumpConfig& config) {
  const absl::StatusOr<VerifyReport> report = Verify(config);
  if (!report.ok()) return report.status();
  const nlohmann::ordered_json json = VerifyAsJson(*report);
  return Outcome{VerifyAsText(json), json, report->problems, report->exit_code};
}

absl::StatusOr<Outcome> RunLines(const FilterDumpConfig& config) {
  const absl::StatusOr<LinesReport> report = ReadLines(config);
  if (!report.ok()) return report.status();
  const nlohmann::ordered_json json = LinesAsJson(*report);
  const std::string text = LinesAsText(json);
  const absl::Status status = WritePage(config.html, config.typed, json, text);
  if (!status.ok()) return status;
  return Outcome{text, json, report->problems, report->exit_code};
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
