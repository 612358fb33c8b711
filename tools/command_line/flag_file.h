// Files that a flag names to be written.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// Whether `path` can be written, found out before long work, without a trace.
// Errors as of WriteFlagFile.
absl::Status CheckFlagFile(absl::string_view flag, const std::string& path);

// Writes `bytes` to `path`, which `flag` named. The operating system's error,
// with both names.
absl::Status WriteFlagFile(absl::string_view flag, const std::string& path,
                           absl::string_view bytes);

}  // namespace linebloom::tools
