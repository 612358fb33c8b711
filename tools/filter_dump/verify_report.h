// The check of all files, as text and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/filter_dump/config.h"
#include "tools/filter_dump/inputs.h"
#include "tools/filter_dump/verify.h"
#include "tools/shared/numbers.h"

namespace linebloom::tools {

// How many missing keys passed, and how many were expected to.
struct MissingKeys {
  uint64_t probed = 0;
  uint64_t passed = 0;
  double expected = 0;  // rate
  bool exact = true;    // false if `expected` is an estimate

  double rate() const {
    return static_cast<double>(passed) / static_cast<double>(probed);
  }
  Interval interval() const { return WilsonInterval(passed, probed); }
  bool is_inside() const {
    return interval().low <= expected && expected <= interval().high;
  }
};

// Nothing if none were probed.
std::optional<MissingKeys> MissingKeysOf(const FileCheck& check);

struct CheckedFile {
  LiveFile file;
  std::optional<FileCheck> check;  // nothing if the file can't be read
};

struct VerifyReport {
  std::string database;
  std::vector<CheckedFile> files;
  bool is_sample = false;  // whether the rows of some files were not read
  double seconds = 0;
  std::vector<std::string> notes;
  std::vector<std::string> problems;
  int exit_code = 0;

  uint64_t Sum(uint64_t FileCheck::*number) const;
  // The files whose rows were all read, and those of them with denied rows.
  // Files whose rows can't be read are not included.
  uint64_t files_with_rows_read() const;
  uint64_t files_with_denied_rows() const;
  std::optional<MissingKeys> missing_keys() const;  // of all files
};

// Errors are those of listing the files, and Cancelled.
absl::StatusOr<VerifyReport> Verify(const FilterDumpConfig& config);

nlohmann::ordered_json VerifyAsJson(const VerifyReport& report);
std::string VerifyAsText(const nlohmann::ordered_json& report);

}  // namespace linebloom::tools
