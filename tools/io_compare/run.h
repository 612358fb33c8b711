// The whole comparison.
#pragma once

#include "absl/status/statusor.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/report/report.h"

namespace linebloom::tools {

// Builds a database for each policy, looks keys up in all of them and removes
// them again (unless `keep`). Errors are in what was asked for or in the
// machine; Cancelled after a signal. What is wrong with the figures is in the
// report's `problems`.
absl::StatusOr<Report> RunComparison(const IoCompareConfig& config);

}  // namespace linebloom::tools
