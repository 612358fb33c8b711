// io_compare: compares what filter policies save on this disk.
#include "absl/status/statusor.h"
#include "linebloom/filter_policy.h"
#include "table/status.h"
#include "tools/io_compare/keys.h"
#include "tools/io_compare/memory.h"
#include "tools/io_compare/report.h"
#include "tools/shared/run_tool.h"

using Config = linebloom::tools::IoCompareConfig;

LINEBLOOM_FLAG(Config, db,
               "working folder, new or empty. Default: a temporary one in the "
               "current folder. Its contents are removed at the end.");
LINEBLOOM_FLAG(Config, keep,
               "keep the databases in the working folder, one per policy");
// The minimum gives every sorted run some rows (row_source.cc); the maximum
// still fits into keys of 16 bytes.
LINEBLOOM_NUMBER_FLAG(Config, rows, kNone, 1000, 1'000'000'000,
                      "rows to load; not used with --key_file or --source_db");
LINEBLOOM_NUMBER_FLAG(Config, value_size, kBytes, 0, 1 << 20,
                      "bytes in each value; not used with --source_db");
// Below a few kilobytes, a file's filter has hardly a line.
LINEBLOOM_NUMBER_FLAG(Config, file_size, kBytes, 0, uint64_t{1} << 40,
                      "bytes in each file, roughly; 0 for a thirtieth of all "
                      "rows, but 4 to 64 MiB. Not used with --source_db");
// Their keys are kept in memory.
LINEBLOOM_NUMBER_FLAG(
    Config, lookups, kNone, 1, 100'000'000,
    "lookups per policy; fewer if there are not enough different "
    "keys");
LINEBLOOM_NUMBER_FLAG(Config, rounds, kNone, 1, 1000,
                      "parts that the lookups are done in, each with all "
                      "policies in turn, so that times can be compared and "
                      "their spread shows. All databases are on the disk "
                      "together; with 1 it is one after the other");
LINEBLOOM_NUMBER_FLAG(Config, hit_ratio, kShare, 0, 1,
                      "share of lookups for existing rows");
LINEBLOOM_FLAG(Config, skew,
               "how the missing keys that are looked up are spread over the "
               "key space: 80/20 for 80 % of them in a range of 20 % of the "
               "keys, zipf:0.99 for 1,000 ranges whose popularity follows "
               "Zipf's law; by default evenly. --seed decides which ranges");
LINEBLOOM_NUMBER_FLAG(Config, warm_lookups, kNone, 0, 1'000'000'000,
                      "lookups, spread like those measured, from which "
                      "policies with heat_aware=true learn before all files "
                      "below level 0 are rewritten. RocksDB samples one in "
                      "1,024");
LINEBLOOM_NUMBER_FLAG(Config, threads, kNone, 1, 256, "lookup threads");
LINEBLOOM_NUMBER_FLAG(Config, bits_per_key, kNone, 1, 30,
                      "filter memory of rocksdb-bloom, rocksdb-ribbon and "
                      "linebloom, in bits");
LINEBLOOM_FLAG(Config, policies,
               "policies to compare, separated by semicolons: none, "
               "rocksdb-bloom, rocksdb-ribbon, linebloom-plain, linebloom, "
               "linebloom-levels, linebloom-heat, or any option string that "
               "RocksDB takes, "
               "such as linebloom:16 or {id=linebloom;bits_per_key=8}");
LINEBLOOM_FLAG(Config, key_file,
               "load these keys, one per line, instead of generated ones; "
               "without --missing_file some of them are held out and looked up "
               "as missing");
LINEBLOOM_FLAG(Config, missing_file,
               "look up these keys, one per line, as missing ones; needs "
               "--key_file or --source_db");
LINEBLOOM_FLAG(
    Config, source_db,
    "use the rows, levels and files of this RocksDB database's default column "
    "family; it is only read and must not be open elsewhere");
LINEBLOOM_FLAG(Config, trace,
               "do the lookups of this trace, by DB::StartTrace() of "
               "--source_db; with --memory the first third of them only fills "
               "the cache");
LINEBLOOM_NUMBER_FLAG(Config, seed, kNone, 0, UINT64_MAX,
                      "varies rows and lookups");
LINEBLOOM_FLAG(Config, html,
               "also write the results with pictures to this file: one page "
               "that needs no other file and no network");
LINEBLOOM_FLAG(Config, direct_io,
               "read past the page cache (O_DIRECT) where the file system can; "
               "without it pages are dropped from the cache while reading");
LINEBLOOM_NUMBER_FLAG(Config, block_cache_size, kBytes, 0, uint64_t{1} << 40,
                      "bytes of each database's block cache. The default is "
                      "small, so that reads go to the device");

LINEBLOOM_FLAG(Config, memory,
               "sizes of a block cache that holds filters, indexes and data, "
               "such as 1MB,2MB,4MB: counts reads of all kinds with each");
LINEBLOOM_FLAG(Config, partitioned,
               "with --memory, partition filters and indexes");
LINEBLOOM_NUMBER_FLAG(Config, cache_shards, kNone, 1, 1 << 19,
                      "with --memory, shards of the cache, a power of two");

namespace linebloom::tools {
namespace {

constexpr char kUsage[] =
    R"(shows what a RocksDB filter policy saves on this machine's disk.

Loads the same rows into the same files and levels for each policy, so
that only the filters differ, looks up missing keys, and counts the reads
from the device.

  io_compare
  io_compare --bits_per_key=16 --policies='none;rocksdb-bloom;linebloom'
  io_compare --key_file=my_keys.txt --missing_file=my_misses.txt
  io_compare --source_db=/var/lib/my_database --json=result.json
  io_compare --html=report.html
  io_compare --skew=80/20

Exits with 0; with 1 if the figures are void, and stderr says why; with 2
for bad usage or input.)";

absl::Status CheckFlags(const IoCompareConfig& config) {
  if (!config.key_file.empty() && !config.source_db.empty()) {
    return absl::InvalidArgumentError(
        "--key_file and --source_db exclude each other: both say which rows to "
        "load");
  }
  if (!config.missing_file.empty() && config.key_file.empty() &&
      config.source_db.empty()) {
    return absl::InvalidArgumentError(
        "--missing_file needs --key_file or --source_db: its keys would lie "
        "outside the range of generated rows");
  }
  if (!config.trace.empty()) {
    if (config.source_db.empty()) {
      return absl::InvalidArgumentError(
          "--trace needs --source_db, the database that it was recorded of");
    }
    if (!config.missing_file.empty() || !config.skew.empty() ||
        config.hit_ratio > 0) {
      return absl::InvalidArgumentError(
          "--trace says which keys to look up; it excludes --missing_file, "
          "--skew and --hit_ratio");
    }
  }
  return Skew::Parse(config.skew, config.seed).status();
}

absl::StatusOr<Outcome> Run(const IoCompareConfig& config) {
  RETURN_IF_ERROR(CheckFlags(config));
  // Fails early if the page can't be written, before minutes of work.
  if (!config.html.empty()) {
    RETURN_IF_ERROR(CheckFlagFile("--html", config.html));
  }
  Json json = {{"command", CommandLine()}};
  std::string text;
  if (config.memory.empty()) {
    ASSIGN_OR_RETURN(const Report report, RunComparison(config));
    json.update(ReportAsJson(report));
    text = ReportAsText(json);
  } else {
    ASSIGN_OR_RETURN(const Outcome outcome, RunMemoryComparison(config));
    json.update(outcome.json);
    text = outcome.text;
  }
  RETURN_IF_ERROR(WritePage(config.html, json, text));
  return Outcome{text, json};
}

}  // namespace
}  // namespace linebloom::tools

int main(int argc, char** argv) {
  using namespace linebloom::tools;  // NOLINT(google-build-using-namespace)
  linebloom::RegisterFilterPolicy();
  return RunTool(argc, argv, kUsage,
                 [] { return Run(ConfigFromFlags<IoCompareConfig>()); });
}
