// io_compare: compares what filter policies save on this disk.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "tools/command_line/command_line.h"
#include "tools/command_line/interrupt.h"
#include "tools/command_line/write_report.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/report/report.h"
#include "tools/io_compare/run.h"

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
    "  io_compare --row_prefix=16\n"
    "\n"
    "Exits with 0; with 1 if the figures are void, and stderr says why; with "
    "2\n"
    "for bad usage or input.";

// Checks that `path` can be written, before minutes of work and without leaving
// a trace.
absl::Status CheckWritable(const std::string& path) {
  const bool existed = std::filesystem::exists(path);
  if (!std::ofstream(path, std::ios::app)) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot write --json='", path, "'"));
  }
  std::error_code ignored;
  if (!existed) std::filesystem::remove(path, ignored);
  return absl::OkStatus();
}

absl::StatusOr<Report> Run(const IoCompareConfig& config) {
  absl::Status status = ValidateConfig(config);
  if (status.ok() && !config.json.empty() && config.json != "-") {
    status = CheckWritable(config.json);
  }
  if (!status.ok()) return status;
  absl::StatusOr<Report> report = RunComparison(config);
  if (!report.ok()) return report;
  status =
      WriteReport(config.json, ReportAsText(*report), ReportAsJson(*report));
  if (!status.ok()) return status;
  return report;
}

int Main(int argc, char** argv) {
  ParseFlagsOrExit(argc, argv, kUsage);
  RegisterFilterPolicy();
  CatchInterrupts();
  const absl::StatusOr<Report> report = Run(ConfigFromFlags());
  if (!report.ok()) {
    std::cerr << "io_compare: " << report.status().message() << "\n";
    return absl::IsCancelled(report.status()) ? kExitInterrupted
                                              : kExitBadInput;
  }
  for (const std::string& problem : report->problems) {
    std::cerr << "io_compare: " << problem << "\n";
  }
  return report->problems.empty() ? kExitFine : kExitFoundSomething;
}

}  // namespace
}  // namespace linebloom::tools

int main(int argc, char** argv) { return linebloom::tools::Main(argc, argv); }
