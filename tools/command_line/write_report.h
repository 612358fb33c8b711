// Where a tool's report goes.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace linebloom::tools {

// Prints the report, as text or, where --json is "-", as JSON; any other --json
// names a file that gets the JSON as well. Keys and paths in it may be any
// bytes; JSON is UTF-8. Fails if standard output (a full disk, say) or the file
// cannot take all of it.
absl::Status WriteReport(const std::string& json_flag, absl::string_view text,
                         const nlohmann::ordered_json& json);

}  // namespace linebloom::tools
