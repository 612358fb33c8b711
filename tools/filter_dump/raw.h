// The bytes of a filter with annotations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json_fwd.hpp"
#include "table/block.h"
#include "tools/filter_dump/config.h"

namespace linebloom::tools {

struct RawBlock {
  std::optional<uint64_t> partition;  // nothing for a full filter
  std::string last_key;  // of a partition: no key of it is after this
  Block block;
};

struct RawReport {
  std::string path;
  uint64_t partitions = 0;       // 0 for a full filter
  std::vector<RawBlock> blocks;  // those that the user selected
  std::vector<std::string> problems;
  int exit_code = 0;
};

// The blocks of the one file in `config`. NotFound if it has no filter;
// InvalidArgument if it has no such partition; otherwise the reader's errors.
absl::StatusOr<RawReport> ReadRaw(const FilterDumpConfig& config);

// An annotated hexdump.
std::string RawAsText(const RawReport& report);
nlohmann::ordered_json RawAsJson(const RawReport& report);

// Writes the bytes of the report's only block to a new file. InvalidArgument if
// there are several; AlreadyExists and so on come from the operating system.
absl::Status WriteRaw(const RawReport& report, const std::string& path);

}  // namespace linebloom::tools
