// Whether a file's filter is sound: it denies none of the file's rows, it lets
// as many missing keys pass as is expected, and no block is damaged.
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
  uint64_t file_bytes = 0;
  uint64_t entries = 0;  // that were read: every version of every row
  uint64_t keys_asked = 0;
  uint64_t prefixes_asked = 0;
  uint64_t denied = 0;  // keys and prefixes of the file
  std::vector<DeniedKey> first_denied;
  uint64_t missing_asked = 0;
  uint64_t missing_passed = 0;
  // Sentences: what is wrong, and what was not checked.
  std::vector<std::string> problems;
  std::vector<std::string> notes;

  bool sound() const { return denied == 0 && problems.empty(); }
};

struct CheckOptions {
  uint64_t missing_keys = 0;  // how many to ask of this file
  // Called now and then with the share of the work that is done, 0 to 1.
  std::function<void(double)> progress;
};

// Errors are for files that are no SSTables or can't be read. Damage is among
// the problems; so is anything that stops the check early.
absl::StatusOr<FileCheck> CheckFile(const std::string& path,
                                    const CheckOptions& options);

}  // namespace linebloom::tools
