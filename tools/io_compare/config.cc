#include "tools/io_compare/config.h"

#include "absl/strings/str_cat.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/skew.h"

namespace linebloom::tools {
namespace {

absl::Status ValidateRows(const IoCompareConfig& config) {
  if (config.row_prefix == 0) return absl::OkStatus();
  if (!config.source_db.empty() || !config.missing_file.empty() ||
      config.hit_ratio > 0 || !config.skew.empty()) {
    return absl::InvalidArgumentError(
        "--row_prefix excludes --source_db, --missing_file, --hit_ratio and "
        "--skew: it looks up missing rows and missing cells of its own choice");
  }
  if (config.key_file.empty() && config.row_prefix != kNumberedKeyBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--row_prefix=", config.row_prefix, ": rows of generated keys have ",
        kNumberedKeyBytes, " bytes; give that, or keys by --key_file"));
  }
  return absl::OkStatus();
}

}  // namespace

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
  const absl::Status skew = Skew::Parse(config.skew, config.seed).status();
  return skew.ok() ? ValidateRows(config) : skew;
}

}  // namespace linebloom::tools
