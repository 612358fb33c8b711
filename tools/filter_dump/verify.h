// Checks that a file's filter is sound: it denies none of the file's rows, lets
// no more missing keys pass than expected, and no block is damaged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "filter_policy/filter_facts/file_facts.h"

namespace linebloom::tools {

struct DeniedKey {
  std::string key;
  bool is_prefix = false;
};

struct FileCheck {
  FileFacts facts;
  bool rows_were_read = false;
  uint64_t bytes_read = 0;
  uint64_t entries = 0;  // entries read: every version of every row
  uint64_t keys_probed = 0;
  uint64_t prefixes_probed = 0;
  uint64_t denied = 0;  // keys and prefixes of the file
  std::vector<DeniedKey> first_denied;
  uint64_t missing_probed = 0;
  uint64_t missing_passed = 0;
  // Sentences on what is wrong, and on what was not checked.
  std::vector<std::string> problems;
  std::vector<std::string> notes;

  bool sound() const { return denied == 0 && problems.empty(); }
};

struct CheckOptions {
  bool read_rows = true;      // or the filter alone
  uint64_t missing_keys = 0;  // how many to look up in this file
  // Called occasionally with the share of the rows read, 0 to 1. It may wait,
  // to limit the reading rate.
  std::function<void(double)> progress;
};

// Returns errors for files that are not SSTables or can't be read. Damage is
// one of the problems, as is anything that ends the check early.
absl::StatusOr<FileCheck> CheckFile(const std::string& path,
                                    const CheckOptions& options);

}  // namespace linebloom::tools
