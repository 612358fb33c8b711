// The flags of filter_dump.
#include <string>

#include "absl/flags/flag.h"
#include "tools/filter_dump/config.h"
#include "tools/shared/config_flag.h"

namespace linebloom::tools {

// The path of a --file. Abseil keeps only the last of several flags with the
// same name, so each path is stored when it is parsed. They are not split at
// commas, which paths may contain.
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
                      "with --command=verify: how many missing keys to ask, "
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
