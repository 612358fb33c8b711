// The flags of io_compare, separate from main so that tests can set a
// configuration without them.
#include "absl/flags/flag.h"
#include "tools/io_compare/config.h"

ABSL_FLAG(std::string, db, "",
          "working folder, new or empty. Default: a temporary one in the "
          "current folder. Its contents are removed at the end.");
ABSL_FLAG(bool, keep, false,
          "keep the databases in the working folder, one per policy");
ABSL_FLAG(uint64_t, rows, 2'000'000,
          "rows to load, 1000 to 1000000000; not used with --key_file or "
          "--source_db");
ABSL_FLAG(uint64_t, value_size, 100,
          "bytes in each value, 0 to 1048576; not used with --source_db");
ABSL_FLAG(uint64_t, lookups, 200'000,
          "lookups per policy, 1 to 100000000; fewer if there are not enough "
          "different keys");
ABSL_FLAG(uint32_t, rounds, 5,
          "parts that the lookups are done in, 1 to 1000, each with all "
          "policies in turn, so that times can be compared and their spread "
          "shows. All databases are on the disk together; with 1 it is one "
          "after the other");
ABSL_FLAG(double, hit_ratio, 0, "share of lookups for existing rows, 0 to 1");
ABSL_FLAG(uint32_t, threads, 1, "lookup threads, 1 to 256");
ABSL_FLAG(double, bits_per_key, 10,
          "filter memory of rocksdb-bloom, rocksdb-ribbon and linebloom, 1 to "
          "30");
ABSL_FLAG(
    std::string, policies,
    "none;rocksdb-bloom;rocksdb-ribbon;linebloom-plain;linebloom;"
    "linebloom-levels",
    "policies to compare, separated by semicolons: none, rocksdb-bloom, "
    "rocksdb-ribbon, linebloom-plain, linebloom, linebloom-levels, or any "
    "option string that RocksDB takes, such as linebloom:16 or "
    "{id=linebloom;bits_per_key=8}");
ABSL_FLAG(std::string, key_file, "",
          "load these keys, one per line, instead of generated ones; without "
          "--missing_file some of them are held out and looked up as missing");
ABSL_FLAG(std::string, missing_file, "",
          "look up these keys, one per line, as missing ones; needs --key_file "
          "or --source_db");
ABSL_FLAG(
    std::string, source_db, "",
    "use the rows, levels and files of this RocksDB database, which is only "
    "read and must not be open elsewhere");
ABSL_FLAG(uint64_t, row_prefix, 0,
          "compare filters of rows, of cells and of both: this many bytes of a "
          "key, 1 to 1024, are its row, and a key is a cell of it; 16 for "
          "generated keys");
ABSL_FLAG(uint64_t, cells_per_row, 10,
          "with --row_prefix: cells of each generated row, 2 to 100; --rows "
          "counts all cells");
ABSL_FLAG(uint64_t, seed, 1, "varies rows and lookups");
ABSL_FLAG(std::string, json, "",
          "also write the results as JSON to this file; - for standard output "
          "instead of the text");
ABSL_FLAG(bool, direct_io, true,
          "read past the page cache (O_DIRECT) where the file system can; "
          "without it pages are dropped from the cache while reading");
ABSL_FLAG(uint64_t, block_cache_size, 64 << 10,
          "bytes of each database's block cache, 0 to 1099511627776. The "
          "default is small, so that reads go to the device");

namespace linebloom::tools {

IoCompareConfig ConfigFromFlags() {
  IoCompareConfig config;
  config.db = absl::GetFlag(FLAGS_db);
  config.keep = absl::GetFlag(FLAGS_keep);
  config.rows = absl::GetFlag(FLAGS_rows);
  config.value_size = absl::GetFlag(FLAGS_value_size);
  config.lookups = absl::GetFlag(FLAGS_lookups);
  config.rounds = absl::GetFlag(FLAGS_rounds);
  config.hit_ratio = absl::GetFlag(FLAGS_hit_ratio);
  config.threads = absl::GetFlag(FLAGS_threads);
  config.bits_per_key = absl::GetFlag(FLAGS_bits_per_key);
  config.policies = absl::GetFlag(FLAGS_policies);
  config.key_file = absl::GetFlag(FLAGS_key_file);
  config.missing_file = absl::GetFlag(FLAGS_missing_file);
  config.source_db = absl::GetFlag(FLAGS_source_db);
  config.row_prefix = absl::GetFlag(FLAGS_row_prefix);
  config.cells_per_row = absl::GetFlag(FLAGS_cells_per_row);
  config.seed = absl::GetFlag(FLAGS_seed);
  config.json = absl::GetFlag(FLAGS_json);
  config.direct_io = absl::GetFlag(FLAGS_direct_io);
  config.block_cache_size = absl::GetFlag(FLAGS_block_cache_size);
  return config;
}

}  // namespace linebloom::tools
