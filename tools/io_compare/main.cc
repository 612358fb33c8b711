// io_compare: compares what filter policies save on this disk.
#include "absl/status/statusor.h"
#include "linebloom/filter_policy.h"
#include "tools/io_compare/comparison.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/report/report.h"
#include "tools/shared/command_line.h"
#include "tools/shared/config_flag.h"
#include "tools/shared/page.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

constexpr char kUsage[] =
    "shows what a RocksDB filter policy saves on this machine's disk.\n"
    "\n"
    "Loads the same rows into the same files and levels for each policy, so\n"
    "that only the filters differ, looks up missing keys, and counts the "
    "reads\n"
    "from the device.\n"
    "\n"
    "  io_compare\n"
    "  io_compare --bits_per_key=16 --policies='none;rocksdb-bloom;linebloom'\n"
    "  io_compare --key_file=my_keys.txt --missing_file=my_misses.txt\n"
    "  io_compare --source_db=/var/lib/my_database --json=result.json\n"
    "  io_compare --html=report.html\n"
    "  io_compare --skew=80/20\n"
    "\n"
    "Exits with 0; with 1 if the figures are void, and stderr says why; with "
    "2\n"
    "for bad usage or input.";

absl::StatusOr<Outcome> Run(const IoCompareConfig& config) {
  absl::Status status = ValidateConfig(config);
  // Before minutes of work.
  if (status.ok() && !config.html.empty()) {
    status = CheckFlagFile("--html", config.html);
  }
  if (!status.ok()) return status;
  const absl::StatusOr<Report> report = RunComparison(config);
  if (!report.ok()) return report.status();
  const nlohmann::ordered_json json = ReportAsJson(*report);
  const std::string text = ReportAsText(json);
  status = WritePage(config.html, config.typed, json, text);
  if (!status.ok()) return status;
  return Outcome{text, json, report->problems, ExitCodeOf(report->problems)};
}

}  // namespace
}  // namespace linebloom::tools

int main(int argc, char** argv) {
  using namespace linebloom::tools;  // NOLINT(google-build-using-namespace)
  ParseFlagsOrExit(argc, argv, kUsage);
  linebloom::RegisterFilterPolicy();
  ConfigFromFlags<IoCompareConfig>().typed = CommandText(argc, argv);
  return RunTool("io_compare",
                 [] { return Run(ConfigFromFlags<IoCompareConfig>()); });
}
