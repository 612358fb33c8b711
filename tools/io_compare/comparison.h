// Runs the whole comparison.
#pragma once

#include "absl/status/statusor.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/report/report.h"

namespace linebloom::tools {

// Builds a database for each policy, looks up keys in all of them and removes
// them (unless `keep` is set). Errors come from the configuration or the
// machine; Cancelled after a signal. Problems with the figures are in the
// report's `problems`.
absl::StatusOr<Report> RunComparison(const IoCompareConfig& config);

}  // namespace linebloom::tools
