// Runs the whole comparison.
#pragma once

#include "absl/status/statusor.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/report/report.h"

namespace linebloom::tools {

// Builds a database for each policy, looks up keys in all and removes them
// (unless `keep` is set). Cancelled after a signal.
absl::StatusOr<Report> RunComparison(const IoCompareConfig& config);

}  // namespace linebloom::tools
