// The flags of filter_dump. Apart from main so that tests can set a config
// without them.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "tools/filter_dump/config.h"

namespace linebloom::tools {

// The paths of every --file. absl keeps the last of several flags of one name,
// so they meet where each is parsed. Not split at commas, which a path may
// have.
struct RepeatedPath {
  std::vector<std::string> paths;
};

bool AbslParseFlag(absl::string_view text, RepeatedPath* value,
                   std::string* /*error*/) {
  static std::vector<std::string> all;
  // absl also tries whether it can parse the default.
  if (!text.empty()) all.emplace_back(text);
  value->paths = all;
  return true;
}

std::string AbslUnparseFlag(const RepeatedPath& /*value*/) { return ""; }

}  // namespace linebloom::tools

ABSL_FLAG(linebloom::tools::RepeatedPath, file, {},
          "an SSTable; may be repeated, and arguments without a flag are "
          "SSTables too");
ABSL_FLAG(std::string, db, "",
          "a database: its live files and their levels. It is only read, and "
          "another process may have it open");
ABSL_FLAG(std::string, column_family, "",
          "with --db: this column family alone; default: all, one by one");
ABSL_FLAG(std::string, command, "table", "table, lines, verify or raw");
ABSL_FLAG(std::string, json, "",
          "write the result to this file as well; - for stdout instead of the "
          "text");
ABSL_FLAG(std::string, svg, "",
          "with --command=lines: draw the picture into this file as well");
ABSL_FLAG(std::string, out, "",
          "with --command=raw: write the bytes of the block to this new file "
          "instead of printing them");
ABSL_FLAG(std::optional<uint64_t>, partition, std::nullopt,
          "with --command=raw: the partition to show, from 0 on; default: all");
ABSL_FLAG(uint64_t, missing, 1'000'000,
          "with --command=verify: how many missing keys to ask, shared among "
          "the files by their size; 0 to 1000000000");
ABSL_FLAG(uint64_t, worst, 10,
          "with --command=lines: how many of the worst lines to list, 0 to "
          "10000");

namespace linebloom::tools {

FilterDumpConfig ConfigFromFlags(const std::vector<std::string>& arguments) {
  FilterDumpConfig config;
  config.files = absl::GetFlag(FLAGS_file).paths;
  config.files.insert(config.files.end(), arguments.begin(), arguments.end());
  config.db = absl::GetFlag(FLAGS_db);
  config.column_family = absl::GetFlag(FLAGS_column_family);
  config.command = absl::GetFlag(FLAGS_command);
  config.json = absl::GetFlag(FLAGS_json);
  config.svg = absl::GetFlag(FLAGS_svg);
  config.out = absl::GetFlag(FLAGS_out);
  config.partition = absl::GetFlag(FLAGS_partition);
  config.missing = absl::GetFlag(FLAGS_missing);
  config.worst = absl::GetFlag(FLAGS_worst);
  return config;
}

}  // namespace linebloom::tools
