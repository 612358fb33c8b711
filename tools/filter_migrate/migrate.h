// Gives the files of a database that nobody has open today's filters.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "linebloom/rebuild_filters.h"
#include "tools/filter_migrate/config.h"
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

// Examines the filters with the database open for reading only. Then opens it
// for writing and runs RebuildFilters, unless this is a dry run, something is
// wrong, or no file is to be rewritten or has the space. Returns errors for a
// database that is locked, damaged or can't be opened by this program; nothing
// was written then, unless RocksDB failed while rewriting.
absl::StatusOr<MigrateReport> Migrate(const FilterMigrateConfig& config);

}  // namespace linebloom::tools
