// Checks the filter policies that an options file names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "nlohmann/json_fwd.hpp"

namespace linebloom::tools {

struct CheckedFamily {
  std::string column_family;
  std::string named;  // the option string; empty without one
  // The filter of a file of kKeysOfCheck keys; nothing if there is none.
  std::optional<BlockFacts> filter;
  std::string problem;  // one sentence; empty if there is none
  std::string note;     // what works, but not as well as it could; or empty
};

inline constexpr uint64_t kKeysOfCheck = 100'000;

struct CheckedOptions {
  std::string path;
  std::vector<CheckedFamily> families;
  std::vector<std::string> problems;  // with their column families
};

// InvalidArgument if RocksDB can't load the file.
absl::StatusOr<CheckedOptions> CheckOptionsFile(const std::string& path);

std::string CheckAsText(const CheckedOptions& checked);
nlohmann::ordered_json CheckAsJson(const CheckedOptions& checked);

}  // namespace linebloom::tools
