#include "tools/io_compare/config.h"

#include "absl/strings/str_cat.h"
#include "tools/io_compare/rows/keys.h"

namespace linebloom::tools {
namespace {

template <typename Number>
absl::Status CheckRange(absl::string_view flag, Number value, Number low,
                        Number high) {
  // Written so that NaN is rejected.
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--", flag, "=", value, " is out of range: ", low, " to ", high));
}

absl::Status ValidateRows(const IoCompareConfig& config) {
  if (config.row_prefix == 0) return absl::OkStatus();
  absl::Status status =
      CheckRange<uint64_t>("row_prefix", config.row_prefix, 1, 1024);
  status.Update(
      CheckRange<uint64_t>("cells_per_row", config.cells_per_row, 2, 100));
  if (!status.ok()) return status;
  if (!config.source_db.empty() || !config.missing_file.empty() ||
      config.hit_ratio > 0) {
    return absl::InvalidArgumentError(
        "--row_prefix excludes --source_db, --missing_file and --hit_ratio: it "
        "looks up missing rows and missing cells of its own choice");
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
  // With the minimum number of rows, every sorted run gets some
  // (layered_rows.cc). The maxima keep keys at 16 bytes and the keys to look up
  // in memory.
  absl::Status status;
  status.Update(CheckRange<uint64_t>("rows", config.rows, 1000, 1'000'000'000));
  status.Update(
      CheckRange<uint64_t>("value_size", config.value_size, 0, 1 << 20));
  status.Update(
      CheckRange<uint64_t>("lookups", config.lookups, 1, 100'000'000));
  status.Update(CheckRange<uint32_t>("rounds", config.rounds, 1, 1000));
  status.Update(CheckRange<double>("hit_ratio", config.hit_ratio, 0, 1));
  status.Update(CheckRange<uint32_t>("threads", config.threads, 1, 256));
  status.Update(CheckRange<double>("bits_per_key", config.bits_per_key, 1, 30));
  status.Update(CheckRange<uint64_t>(
      "block_cache_size", config.block_cache_size, 0, uint64_t{1} << 40));
  if (!status.ok()) return status;

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
  return ValidateRows(config);
}

}  // namespace linebloom::tools
