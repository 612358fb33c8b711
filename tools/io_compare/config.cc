#include "tools/io_compare/config.h"

#include "tools/io_compare/rows/lookups.h"

namespace linebloom::tools {
absl::Status ValidateConfig(const IoCompareConfig& config) {
  if (!config.key_file.empty() && !config.source_db.empty()) {
    return absl::InvalidArgumentError(
        "--key_file and --source_db exclude each other: both say which rows to "
        "load");
  }
  if (!config.missing_file.empty() && config.key_file.empty() &&
      config.source_db.empty()) {
    return absl::InvalidArgumentError(
        "--missing_file needs --key_file or --source_db: its keys would lie "
        "outside the range of generated rows");
  }
  return Skew::Parse(config.skew, config.seed).status();
}

}  // namespace linebloom::tools
