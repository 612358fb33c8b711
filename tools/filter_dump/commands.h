// The commands of filter_dump. Errors are those of listing the files, and
// Cancelled.
#pragma once

#include "absl/status/statusor.h"
#include "tools/filter_dump/config.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {

// The filters of files, levels and column families, and what lookups of missing
// rows cost with them.
absl::StatusOr<Outcome> RunTable(const FilterDumpConfig& config);

// The lines of filters: how many probes their keys have or how full they are,
// and how much they contribute to the rate. InvalidArgument if no filter has
// lines.
absl::StatusOr<Outcome> RunLines(const FilterDumpConfig& config);

// The check of all files (verify.h).
absl::StatusOr<Outcome> RunVerify(const FilterDumpConfig& config);

// The annotated bytes of the one file's filter, or with --out its bytes in a
// new file. NotFound if it has no filter; InvalidArgument if it has no such
// partition, or --out isn't for a single block.
absl::StatusOr<Outcome> RunRaw(const FilterDumpConfig& config);

// The filter policies that an options file names, and the filters that they
// yield. InvalidArgument if RocksDB can't load the file.
absl::StatusOr<Outcome> RunCheckOptions(const FilterDumpConfig& config);

}  // namespace linebloom::tools
