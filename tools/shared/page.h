// The page of --html.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace linebloom::tools {

// Writes one HTML file that needs no other: page.html, whose script draws the
// `result` that it embeds. `text` is the same for a terminal, folded away where
// scripts run. `command` was typed. Does nothing if `path` is empty; returns
// the errors of WriteFlagFile.
absl::Status WritePage(const std::string& path, const std::string& command,
                       nlohmann::ordered_json result, absl::string_view text);

}  // namespace linebloom::tools
