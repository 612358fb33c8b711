// Writes files named by flags.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// Checks that `path` can be written, before long work and without leaving a
// trace. Returns the errors of WriteFlagFile.
absl::Status CheckFlagFile(absl::string_view flag, const std::string& path);

// Writes `bytes` to `path`, which `flag` named. Returns the operating system's
// error, with both names.
absl::Status WriteFlagFile(absl::string_view flag, const std::string& path,
                           absl::string_view bytes);

}  // namespace linebloom::tools
