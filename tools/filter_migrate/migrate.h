// Gives the files of a database that nobody has open today's filters.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "linebloom/rebuild_filters.h"
#include "tools/filter_migrate/policies.h"

namespace linebloom::tools {

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
