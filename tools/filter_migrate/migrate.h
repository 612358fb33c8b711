// Gives the files of a database that nobody has open today's filters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/filter_policy.h"

namespace linebloom::tools {

struct FilterMigrateConfig {
  std::string db;
  std::string column_family;  // "" for all
  std::string policy;         // "": see ChoosePolicy()
  std::string line;           // "" for the policy's own
  double worst_rate = 0;
  uint64_t bytes_per_second = 0;
  bool dry_run = false;
};

using FilterPolicyPtr = std::shared_ptr<const rocksdb::FilterPolicy>;

struct FamilyPolicy {
  std::string column_family;
  FilterPolicyPtr policy;
};

struct MigrateReport {
  std::vector<FamilyPolicy> policies;
  RebuildFiltersReport rebuild;
  bool database_was_opened = false;  // for writing
  bool interrupted = false;
  double seconds = 0;  // of rewriting
  // Problems of files, one sentence each.
  std::vector<std::string> problems;
};

// Examines the filters of a read-only database. Then opens it for writing and
// runs RebuildFilters, unless this is a dry run, something is wrong, or nothing
// can be rewritten. After an error nothing was written, unless RocksDB failed
// while rewriting.
absl::StatusOr<MigrateReport> Migrate(const FilterMigrateConfig& config);

}  // namespace linebloom::tools
