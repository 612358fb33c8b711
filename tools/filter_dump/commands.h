// The commands of filter_dump. Errors are those of listing the files, and
// Cancelled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {

struct FilterDumpConfig {
  std::vector<std::string> files;  // --file, and arguments without a flag
  std::string db;
  std::string column_family;
  std::string command = "table";
  std::string format = "text";
  std::string html;
  std::string before;  // a database
  std::string typed;   // the command line
  std::string out;
  std::string check_options;  // an options file
  uint64_t missing = 1'000'000;
  double sample = 1;              // of the files
  uint64_t bytes_per_second = 0;  // no limit
  uint64_t worst = 10;
  std::optional<uint64_t> partition;
};

// The filters of files, levels and column families, and what lookups of missing
// rows cost with them.
absl::StatusOr<Outcome> RunTable(const FilterDumpConfig& config);

// The lines of filters: how many probes their keys have or how full they are,
// and what they add to the rate. InvalidArgument if no filter has lines.
absl::StatusOr<Outcome> RunLines(const FilterDumpConfig& config);

// The check of all files (verify.h).
absl::StatusOr<Outcome> RunVerify(const FilterDumpConfig& config);

// The annotated bytes of the one file's filter, or with --out its bytes in a
// new file. NotFound without a filter; InvalidArgument without that block.
absl::StatusOr<Outcome> RunRaw(const FilterDumpConfig& config);

// The filter policies that an options file names, and the filters that they
// yield. InvalidArgument if RocksDB can't load the file.
absl::StatusOr<Outcome> RunCheckOptions(const FilterDumpConfig& config);

}  // namespace linebloom::tools
