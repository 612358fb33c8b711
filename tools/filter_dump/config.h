// What the user asked filter_dump to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace linebloom::tools {

enum class Command { kTable, kLines, kVerify, kRaw };

struct FilterDumpConfig {
  std::vector<std::string> files;  // --file, and arguments without a flag
  std::string db;
  std::string column_family;
  std::string command = "table";
  std::string svg;
  std::string out;
  uint64_t missing = 1'000'000;
  double sample = 1;              // of the files
  uint64_t bytes_per_second = 0;  // no limit
  uint64_t worst = 10;
  std::optional<uint64_t> partition;
};

// InvalidArgument, with what is wrong, for flags that don't go together.
absl::Status ValidateConfig(const FilterDumpConfig& config);

// Of a config that is valid.
Command CommandOf(const FilterDumpConfig& config);

}  // namespace linebloom::tools
