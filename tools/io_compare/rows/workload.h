// Decides which rows to load and which keys to look up.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/report/report.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/lookups.h"
#include "tools/io_compare/rows/row_source.h"

namespace linebloom::tools {

struct Workload {
  RowSource rows;
  LookupMix mix;
  KeyList lookups;
  WorkloadFacts facts;
  Shape expected_shape;  // of --source_db; otherwise empty
  std::vector<std::string> notes;
};

// According to the flags: generated rows, those of a key file, or those of a
// database. `scratch` is a folder that this may use. Errors name the flag.
absl::StatusOr<Workload> MakeWorkload(const IoCompareConfig& config,
                                      const std::filesystem::path& scratch);

}  // namespace linebloom::tools
