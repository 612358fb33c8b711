// Which rows to load and which keys to look up.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/report/report.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/row_source.h"

namespace linebloom::tools {

struct Workload {
  // What `rows` and each other may refer to.
  std::unique_ptr<KeyTable> row_numbers;
  std::unique_ptr<KeyTable> row_keys;
  std::unique_ptr<RowSource> rows;
  KeyList lookups;       // with --row_prefix of missing cells
  KeyList missing_rows;  // with --row_prefix alone
  WorkloadFacts facts;
  Shape expected_shape;         // of --source_db; else empty
  uint64_t largest_file_bytes;  // about
  std::vector<std::string> notes;
};

// By the flags: generated rows, those of a key file, or those of a database.
// `scratch` is a folder of our own. Errors name the flag.
absl::StatusOr<Workload> MakeWorkload(const IoCompareConfig& config,
                                      const std::filesystem::path& scratch);

}  // namespace linebloom::tools
