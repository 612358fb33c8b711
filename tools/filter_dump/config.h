// The configuration of filter_dump.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

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

// InvalidArgument, with an explanation, for values out of range and flags that
// exclude each other.
absl::Status ValidateConfig(const FilterDumpConfig& config);

}  // namespace linebloom::tools
