// The configuration of filter_migrate.
#pragma once

#include <cstdint>
#include <string>

namespace linebloom::tools {

struct FilterMigrateConfig {
  std::string db;
  std::string column_family;  // "" for all
  std::string policy;         // "": see policies.h
  std::string line;           // "" for the policy's own
  double worst_rate = 0;
  uint64_t bytes_per_second = 0;
  bool dry_run = false;
};

}  // namespace linebloom::tools
