// What the user asked filter_migrate to do.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace linebloom::tools {

struct FilterMigrateConfig {
  std::string db;
  std::string column_family;  // "" for all
  std::string policy;         // "" for what policies.h says
  std::string line;           // "" for the policy's own
  double worst_rate = 0;
  uint64_t bytes_per_second = 0;
  bool dry_run = false;
};

// InvalidArgument, with what is wrong, where no database is named or the policy
// is none.
absl::Status ValidateConfig(const FilterMigrateConfig& config);

}  // namespace linebloom::tools
