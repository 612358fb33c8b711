// Gives the files of a database that nobody has open the filters of today.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "linebloom/filter_policy.h"
#include "linebloom/rebuild_filters.h"
#include "tools/filter_migrate/config.h"

namespace linebloom::tools {

struct FamilyPolicy {
  std::string column_family;
  FilterPolicyOptions policy;
};

struct MigrateReport {
  std::vector<FamilyPolicy> policies;
  RebuildFiltersReport rebuild;
  bool database_was_opened = false;  // for writing
  bool interrupted = false;
  double seconds = 0;  // of rewriting
  // What is wrong with files, a sentence each.
  std::vector<std::string> problems;
};

// Looks at the filters with the database open for reading only, and names the
// files that the disk has no room to rewrite; then, unless it is a dry run or
// no file has room, reads the data blocks of the files to be rewritten; and
// only then, if nothing is wrong and there is something to rewrite, opens it
// for writing. Errors are for a database that is locked, damaged or can't be
// opened by this program; nothing was written then.
absl::StatusOr<MigrateReport> Migrate(const FilterMigrateConfig& config);

}  // namespace linebloom::tools
