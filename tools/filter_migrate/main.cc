// filter_migrate: gives the files of a database linebloom's filters, or
// RocksDB's again.
#include "absl/status/statusor.h"
#include "linebloom/filter_policy.h"
#include "tools/filter_migrate/config.h"
#include "tools/filter_migrate/migrate.h"
#include "tools/filter_migrate/report.h"
#include "tools/shared/config_flag.h"
#include "tools/shared/run_tool.h"

using Config = linebloom::tools::FilterMigrateConfig;

LINEBLOOM_FLAG(Config, db, "the database's folder");
LINEBLOOM_FLAG(Config, column_family, "only this column family; default: all");
LINEBLOOM_FLAG(Config, policy,
               "the policy to build filters with, such as linebloom:10 or "
               "{id=linebloom;bits_per_key=10;line=plain}. With RocksDB's "
               "own, bloomfilter:10 or ribbonfilter:10, files with "
               "linebloom's filters get RocksDB's again. Default: the "
               "linebloom policy in the database's OPTIONS, or linebloom with "
               "the bits per key of the Bloom filter there, or linebloom:10");
LINEBLOOM_FLAG(Config, line, "solved or plain, in place of the policy's line");
LINEBLOOM_NUMBER_FLAG(Config, worst_rate, kShare, 0, 1,
                      "rewrite linebloom's own filters too if their "
                      "false-positive rate is above this and the policy has "
                      "more bits; 0 means 1.2 times the rate of a new "
                      "filter");
LINEBLOOM_NUMBER_FLAG(Config, bytes_per_second, kBytes, 0, 1'000'000'000'000,
                      "how many bytes of files to rewrite each second, on "
                      "average, such as 50MB; 0 for no limit");
LINEBLOOM_FLAG(Config, dry_run,
               "say what would be rewritten and what that saves, and write "
               "nothing; another process may have the database open");

namespace linebloom::tools {
namespace {

constexpr char kUsage[] =
    "rewrites the files of a RocksDB database whose filter is poor, each with\n"
    "a new one of linebloom's: files without a filter, with RocksDB's own or "
    "a\n"
    "damaged one, or with one of linebloom's from an older version, with "
    "plain\n"
    "lines or fewer bits. Those that save the most reads per byte come first.\n"
    "\n"
    "  filter_migrate --db=/var/lib/my_database --dry_run\n"
    "  filter_migrate --db=/var/lib/my_database --policy=linebloom:10\n"
    "  filter_migrate --db=/var/lib/my_database --policy=bloomfilter:10\n"
    "\n"
    "The last one is the way back: with one of RocksDB's own policies, it\n"
    "rewrites the files that have linebloom's filters, and those without any.\n"
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
    "the application's plug-ins. A damaged file stays as it is.";

absl::StatusOr<Outcome> Run(const FilterMigrateConfig& config) {
  const absl::StatusOr<MigrateReport> report = Migrate(config);
  if (!report.ok()) return report.status();
  const nlohmann::ordered_json json = ReportAsJson(config, *report);
  return Outcome{
      ReportAsText(json), json, report->problems,
      report->interrupted ? kExitInterrupted : ExitCodeOf(report->problems)};
}

}  // namespace
}  // namespace linebloom::tools

int main(int argc, char** argv) {
  using namespace linebloom::tools;  // NOLINT(google-build-using-namespace)
  ParseFlagsOrExit(argc, argv, kUsage);
  linebloom::RegisterFilterPolicy();  // for policies in the OPTIONS
  return RunTool("filter_migrate",
                 [] { return Run(ConfigFromFlags<FilterMigrateConfig>()); });
}
