// filter_migrate: brings the files of a database up to linebloom's filters.
#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "tools/command_line/command_line.h"
#include "tools/command_line/interrupt.h"
#include "tools/command_line/write_report.h"
#include "tools/filter_migrate/config.h"
#include "tools/filter_migrate/migrate.h"
#include "tools/filter_migrate/report.h"

namespace linebloom::tools {
namespace {

constexpr char kUsage[] =
    "rewrites the files of a RocksDB database whose filter is poor, each with\n"
    "a new one of linebloom's: files without a filter, with RocksDB's own or "
    "a\n"
    "damaged one, or with one of linebloom's from an older version, with "
    "plain\n"
    "lines or fewer bits. The most saved reads for each byte come first.\n"
    "\n"
    "  filter_migrate --db=/var/lib/my_database --dry_run\n"
    "  filter_migrate --db=/var/lib/my_database --policy=linebloom:10\n"
    "\n"
    "The database must not be open elsewhere, except for --dry_run. It is\n"
    "opened with its own OPTIONS; RocksDB's own compactions pause. The files\n"
    "keep their level, their rows and their size. It can be stopped and "
    "killed\n"
    "at any time and run again: files that are done stay as they are.\n"
    "\n"
    "Exits with 0; with 1 if a file is damaged or was left out, and stderr "
    "says\n"
    "why; with 2 for bad usage or a database that is locked, damaged or needs\n"
    "the application's plug-ins. What is damaged or locked is not written to.";

absl::StatusOr<MigrateReport> Run(const FilterMigrateConfig& config) {
  const absl::Status valid = ValidateConfig(config);
  if (!valid.ok()) return valid;
  absl::StatusOr<MigrateReport> report = Migrate(config);
  if (!report.ok()) return report;
  const absl::Status written =
      WriteReport(config.json, ReportAsText(config, *report),
                  ReportAsJson(config, *report));
  if (!written.ok()) return written;
  return report;
}

int Main(int argc, char** argv) {
  ParseFlagsOrExit(argc, argv, kUsage);
  CatchInterrupts();
  // For policies in the OPTIONS.
  RegisterFilterPolicy();
  const absl::StatusOr<MigrateReport> report = Run(ConfigFromFlags());
  if (!report.ok()) {
    std::cerr << "filter_migrate: " << report.status().message() << "\n";
    return absl::IsCancelled(report.status()) ? kExitInterrupted
                                              : kExitBadInput;
  }
  for (const std::string& problem : report->problems) {
    std::cerr << "filter_migrate: " << problem << "\n";
  }
  if (report->interrupted) return kExitInterrupted;
  return report->problems.empty() ? kExitFine : kExitFoundSomething;
}

}  // namespace
}  // namespace linebloom::tools

int main(int argc, char** argv) { return linebloom::tools::Main(argc, argv); }
