// The flags of filter_migrate. Apart from main so that tests can set a config
// without them.
#include "absl/flags/flag.h"
#include "tools/filter_migrate/config.h"

ABSL_FLAG(std::string, db, "", "the database's folder");
ABSL_FLAG(std::string, column_family, "",
          "this column family alone; default: all");
ABSL_FLAG(std::string, policy, "",
          "the policy to build filters with, such as linebloom:10 or "
          "{id=linebloom;bits_per_key=10;line=plain}. Default: the "
          "linebloom policy in the database's OPTIONS, or linebloom with the "
          "bits per key of the Bloom filter there, or linebloom:10");
ABSL_FLAG(std::string, line, "",
          "solved or plain, in place of the policy's line");
ABSL_FLAG(double, worst_rate, 0,
          "rewrite linebloom's own filters too if their false-positive rate is "
          "above this and the policy has more bits: 0 to 1; 0 stands for 1.2 "
          "times the rate of a new filter");
ABSL_FLAG(uint64_t, bytes_per_second, 0,
          "how many bytes of files to rewrite each second, on average; 0 for "
          "no limit");
ABSL_FLAG(bool, dry_run, false,
          "say what would be rewritten and what that saves, and write nothing; "
          "another process may have the database open");
ABSL_FLAG(std::string, json, "",
          "write the result to this file as well; - for stdout instead of the "
          "text");

namespace linebloom::tools {

FilterMigrateConfig ConfigFromFlags() {
  FilterMigrateConfig config;
  config.db = absl::GetFlag(FLAGS_db);
  config.column_family = absl::GetFlag(FLAGS_column_family);
  config.policy = absl::GetFlag(FLAGS_policy);
  config.line = absl::GetFlag(FLAGS_line);
  config.worst_rate = absl::GetFlag(FLAGS_worst_rate);
  config.bytes_per_second = absl::GetFlag(FLAGS_bytes_per_second);
  config.dry_run = absl::GetFlag(FLAGS_dry_run);
  config.json = absl::GetFlag(FLAGS_json);
  return config;
}

}  // namespace linebloom::tools
