// linebloom compare: compares what filter policies save on this disk.
#include <memory>

#include "absl/status/statusor.h"
#include "table/status.h"
#include "tools/commands.h"
#include "tools/compare/keys.h"
#include "tools/compare/memory.h"
#include "tools/compare/report.h"
#include "tools/shared/flags.h"

namespace linebloom::tools {
namespace {

absl::Status CheckFlags(const CompareConfig& config) {
  if (!config.missing_file.empty() && config.key_file.empty() &&
      config.source_db.empty()) {
    return absl::InvalidArgumentError(
        "--missing_file needs --key_file or --source_db: its keys would lie "
        "outside the range of generated rows");
  }
  if (!config.trace.empty() && config.source_db.empty()) {
    return absl::InvalidArgumentError(
        "--trace needs --source_db, the database that it was recorded of");
  }
  return Skew::Parse(config.skew, config.seed).status();
}

absl::StatusOr<Outcome> RunCompare(const CompareConfig& config) {
  RETURN_IF_ERROR(CheckFlags(config));
  ASSIGN_OR_RETURN(const Outcome outcome, config.memory.empty()
                                              ? RunComparison(config)
                                              : RunMemoryComparison(config));
  Json json = {{"command", CommandLine()}};
  json.update(outcome.json);
  return Outcome{outcome.text, json};
}

Runner DeclareCompare(CLI::App* app) {
  const auto config = std::make_shared<CompareConfig>();
  app->add_option("--db", config->db,
                  "working folder, new or empty. Default: a temporary one in "
                  "the current folder. Its contents are removed at the end.");
  app->add_flag("--keep", config->keep,
                "keep the databases in the working folder, one per policy");
  AddNumber(app, "--rows", &config->rows, Unit::kNone, 1000, 1'000'000'000,
            "rows to load; not used with --key_file or --source_db");
  AddNumber(app, "--value_size", &config->value_size, Unit::kBytes, 0, 1 << 20,
            "bytes in each value; not used with --source_db");
  AddNumber(app, "--file_size", &config->file_size, Unit::kBytes, 0,
            uint64_t{1} << 40,
            "bytes in each file, roughly; 0 for a thirtieth of all rows, but 4 "
            "to 64 MiB. Not used with --source_db");
  AddNumber(app, "--lookups", &config->lookups, Unit::kNone, 1, 100'000'000,
            "lookups per policy; fewer if there are not enough different keys");
  AddNumber(
      app, "--rounds", &config->rounds, Unit::kNone, 1, 1000,
      "parts that the lookups are done in, each with all policies in turn, so "
      "that times can be compared and their spread shows. All databases are on "
      "the disk together; with 1 it is one after the other");
  AddNumber(app, "--hit_ratio", &config->hit_ratio, Unit::kShare, 0, 1,
            "share of lookups for existing rows");
  app->add_option("--skew", config->skew,
                  "how the missing keys that are looked up are spread over the "
                  "key space: 80/20 for 80 % of them in a range of 20 % of the "
                  "keys, zipf:0.99 for 1,000 ranges whose popularity follows "
                  "Zipf's law; by default evenly. --seed decides which ranges");
  AddNumber(app, "--threads", &config->threads, Unit::kNone, 1, 256,
            "lookup threads");
  AddNumber(
      app, "--bits_per_key", &config->bits_per_key, Unit::kNone, 1, 30,
      "filter memory of rocksdb-bloom, rocksdb-ribbon and linebloom, in bits");
  app->add_option(
      "--policies", config->policies,
      "policies to compare, separated by semicolons; by default none, "
      "rocksdb-bloom, rocksdb-ribbon, linebloom-plain, linebloom and "
      "linebloom-levels; also any option string that RocksDB takes, such as "
      "linebloom:16 or {id=linebloom;bits_per_key=8}");
  app->add_option(
      "--key_file", config->key_file,
      "load these keys, one per line, instead of generated ones; without "
      "--missing_file some of them are held out and looked up as missing");
  app->add_option("--missing_file", config->missing_file,
                  "look up these keys, one per line, as missing ones; needs "
                  "--key_file or --source_db");
  app->add_option(
      "--source_db", config->source_db,
      "use the rows, levels and files of this RocksDB database's default "
      "column family; it is only read and must not be open elsewhere");
  AddNumber(app, "--seed", &config->seed, Unit::kNone, 0, UINT64_MAX,
            "varies rows and lookups");
  app->add_flag(
         "--direct_io", config->direct_io,
         "read past the page cache (O_DIRECT) where the file system can; "
         "without it some reads come out of memory: counts stay, times don't")
      ->capture_default_str();
  AddNumber(app, "--block_cache_size", &config->block_cache_size, Unit::kBytes,
            0, uint64_t{1} << 40,
            "bytes of each database's block cache. The default is small, so "
            "that reads go to the device");
  app->add_option(
      "--memory", config->memory,
      "sizes of a block cache that holds filters, indexes and data, "
      "such as 1MB,2MB,4MB: counts reads of all kinds with each");
  app->add_flag("--partitioned", config->partitioned,
                "with --memory, partition filters and indexes");
  AddNumber(app, "--cache_shards", &config->cache_shards, Unit::kNone, 1,
            1 << 19, "with --memory, shards of the cache, a power of two");
  app->add_option(
         "--trace", config->trace,
         "do the lookups of this trace, by DB::StartTrace() of --source_db; "
         "with --memory the first third of them only fills the cache")
      ->excludes("--missing_file")
      ->excludes("--skew")
      ->excludes("--hit_ratio");
  app->get_option("--key_file")->excludes("--source_db");
  app->get_option("--partitioned")->needs("--memory");
  app->get_option("--cache_shards")->needs("--memory");
  return [config] { return RunCompare(*config); };
}

}  // namespace

const Subcommand kCompare = {
    "compare",
    R"(shows what a RocksDB filter policy saves on this machine's disk.

Loads the same rows into the same files and levels for each policy, so that
only the filters differ, looks up missing keys, and counts the reads from the
device.

  linebloom compare
  linebloom compare --bits_per_key=16 --policies='none;rocksdb-bloom;linebloom'
  linebloom compare --memory=1MB,2MB,4MB
  linebloom compare --key_file=my_keys.txt --missing_file=my_misses.txt
  linebloom compare --source_db=/var/lib/my_database --json=result.json
  linebloom compare --html=report.html
  linebloom compare --skew=80/20

Exits with 0; with 1 if the figures are void, and stderr says why; with 2 for
bad usage or input; with 130 after Ctrl-C.)",
    DeclareCompare,
    /*has_page=*/true};

}  // namespace linebloom::tools
