// The flags of filter_migrate.
#include "tools/filter_migrate/config.h"
#include "tools/shared/config_flag.h"

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
