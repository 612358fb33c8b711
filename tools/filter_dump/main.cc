// filter_dump: shows which filter an SSTable has, how good it is, and whether
// it is sound.
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "table/status.h"
#include "tools/filter_dump/inputs.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

constexpr char kUsage[] =
    R"(shows the filters of RocksDB's SSTables, linebloom's and RocksDB's own.

  filter_dump 000123.sst
  filter_dump --db=/var/lib/my_database
  filter_dump --db=/var/lib/my_database --html=tree.html
  filter_dump --db=/var/lib/my_database --format=prometheus
  filter_dump --db=/var/lib/my_database --command=verify
  filter_dump --command=lines --html=lines.html 000123.sst
  filter_dump --command=raw 000123.sst | less
  filter_dump --check_options=my_options.ini

--command=
  table   for each file, level and database: its filter and the filter's
          size, the false-positive rate to expect, and the data blocks
          that a lookup of a missing row will read
  lines   how many probes the keys of a filter's lines have, or how full
          the lines are; the worst ones; how much they add to the rate
  verify  reads the files and checks all blocks, checks that no filter
          rejects one of its own rows, and measures the rate
  raw     the bytes of one file's filter, annotated

--check_options=FILE says for each column family of an options file which
filter its policy yields: RocksDB loads a name that it doesn't know as no
filter, without a word. With --db, or if the file is in a database's folder,
also whether the filters there fit the block cache.

Files are only read, and another process may have the database open.
Exits with 0; with 1 if something is wrong with a file, and stderr says
what; with 2 for bad usage or files that are not SSTables.)";

// InvalidArgument, with an explanation, for values out of range and flags that
// exclude each other.
absl::Status ValidateConfig(const FilterDumpConfig& config) {
  const bool db = !config.db.empty();
  const bool files = !config.files.empty();
  const bool table = config.command == "table";
  const bool lines = config.command == "lines";
  const bool raw = config.command == "raw";
  const bool prometheus = config.format == "prometheus";
  const bool before = !config.before.empty();
  const bool verify = config.command == "verify";
  const bool options = !config.check_options.empty();
  const FilterDumpConfig unset;
  const std::pair<bool, std::string> mistakes[] = {
      {!table && !lines && !raw && !verify,
       absl::StrCat("--command=", config.command,
                    " is not one of table, lines, verify, raw")},
      {options && (files || !table || !config.html.empty()),
       "--check_options looks at no SSTables: name no file, no --command and "
       "no --html"},
      {!options && !files && !db,
       "name SSTables, or a database with --db; --help says more"},
      {files && db, "name either SSTables or --db, not both"},
      {!db && !config.column_family.empty(), "--column_family needs --db"},
      {raw && config.files.size() != 1,
       "--command=raw shows one file: name it with --file"},
      {!prometheus && config.format != "text",
       absl::StrCat("--format=", config.format,
                    " is not one of text, prometheus; --json writes JSON")},
      {prometheus && !(db && table),
       "--format=prometheus needs --db and --command=table"},
      {!config.html.empty() && !table && !lines,
       "--html needs --command=table or lines"},
      {before && (!db || config.html.empty()),
       "--before needs --db, and --html to draw it in"},
      {before && !table, "--before needs --command=table"},
      {!config.out.empty() && !raw, "--out needs --command=raw"},
      {config.partition.has_value() && !raw, "--partition needs --command=raw"},
      {!lines && config.worst != unset.worst, "--worst needs --command=lines"},
      {!verify &&
           (config.missing != unset.missing || config.sample != unset.sample ||
            config.bytes_per_second != unset.bytes_per_second),
       "--missing, --sample and --bytes_per_second need --command=verify"}};
  for (const auto& [made, message] : mistakes) {
    if (made) return absl::InvalidArgumentError(message);
  }
  return absl::OkStatus();
}

absl::StatusOr<Outcome> Run(const FilterDumpConfig& config) {
  RETURN_IF_ERROR(ValidateConfig(config));
  // Fails early if the page can't be written, before hours of reading.
  if (!config.html.empty()) {
    RETURN_IF_ERROR(CheckFlagFile("--html", config.html));
  }
  if (!config.check_options.empty()) return RunCheckOptions(config);
  if (config.command == "lines") return RunLines(config);
  if (config.command == "verify") return RunVerify(config);
  return config.command == "raw" ? RunRaw(config) : RunTable(config);
}

}  // namespace

// The path of a --file. Abseil keeps only the last of several, so each is
// stored when parsed. They are not split at commas, which paths may contain.
struct RepeatedPath {};

bool AbslParseFlag(absl::string_view text, RepeatedPath* /*value*/,
                   std::string* /*error*/) {
  // Abseil also checks that it can parse the default.
  auto& files = ConfigFromFlags<FilterDumpConfig>().files;
  if (!text.empty()) files.emplace_back(text);
  return true;
}

std::string AbslUnparseFlag(RepeatedPath /*value*/) { return ""; }

}  // namespace linebloom::tools

using Config = linebloom::tools::FilterDumpConfig;

ABSL_FLAG(linebloom::tools::RepeatedPath, file, {},
          "an SSTable; may be repeated, and arguments without a flag are "
          "SSTables too");
LINEBLOOM_FLAG(Config, db,
               "a database: its live files and their levels. It is only read, "
               "and another process may have it open");
LINEBLOOM_FLAG(Config, column_family,
               "with --db: only this column family; default: all, one by one");
LINEBLOOM_FLAG(Config, command, "table, lines, verify or raw");
LINEBLOOM_FLAG(Config, format,
               "text, or for --command=table of a database prometheus: metrics "
               "in Prometheus's text format");
LINEBLOOM_FLAG(Config, html,
               "with --command=table or lines: also write the result with "
               "pictures to this file: one page that needs no other file and "
               "no network");
LINEBLOOM_FLAG(Config, before,
               "with --html of a database: another one, such as a "
               "copy from before a change, to be drawn above it");
LINEBLOOM_FLAG(Config, check_options,
               "an options file of RocksDB's: say which filters its policies "
               "yield, and whether that is what they name");
LINEBLOOM_FLAG(Config, out,
               "with --command=raw: write the bytes of the block to this new "
               "file instead of printing them");
LINEBLOOM_NUMBER_FLAG(
    Config, partition, kNone, 0, UINT64_MAX,
    "with --command=raw: the partition to show instead of all");
LINEBLOOM_NUMBER_FLAG(Config, missing, kNone, 0, 1'000'000'000,
                      "with --command=verify: how many missing keys to probe, "
                      "shared among the files by their size");
LINEBLOOM_NUMBER_FLAG(Config, sample, kShare, 0, 1,
                      "with --command=verify: read the rows of this share of "
                      "the files, such as 1%, at least of one, and of all "
                      "others the filter alone");
LINEBLOOM_NUMBER_FLAG(Config, bytes_per_second, kBytes, 0, 1'000'000'000'000,
                      "with --command=verify: how many bytes of files to read "
                      "each second, on average, such as 50MB; 0 for no limit");
LINEBLOOM_NUMBER_FLAG(Config, worst, kNone, 0, 10'000,
                      "with --command=lines: how many of the worst lines to "
                      "list");

int main(int argc, char** argv) {
  using namespace linebloom::tools;  // NOLINT(google-build-using-namespace)
  FilterDumpConfig& config = ConfigFromFlags<FilterDumpConfig>();
  return RunTool(
      argc, argv, kUsage, [&] { return Run(config); }, &config.files);
}
