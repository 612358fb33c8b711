// The filters of files, levels and column families, and what lookups of missing
// rows cost with them.
#pragma once

#include "absl/status/statusor.h"
#include "tools/filter_dump/config.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {

// Errors are those of listing the files, and Cancelled.
absl::StatusOr<Outcome> RunTable(const FilterDumpConfig& config);

}  // namespace linebloom::tools
