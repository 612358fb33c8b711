// The whole comparison.
#pragma once

#include "absl/status/statusor.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/report/report.h"

namespace linebloom::tools {

// Builds one database for each policy, one after the other, measures it and
// removes it again (unless `keep`). Errors are in what was asked for or in the
// machine; Cancelled after a signal. What is wrong with the figures is in the
// report's `problems`.
absl::StatusOr<Report> RunComparison(const IoCompareConfig& config);

}  // namespace linebloom::tools
