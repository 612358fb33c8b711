#include "tools/command_line/write_report.h"

#include <cerrno>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tools/command_line/flag_file.h"

namespace linebloom::tools {

absl::Status WriteReport(const std::string& json_flag, absl::string_view text,
                         const nlohmann::ordered_json& json) {
  const std::string json_text =
      absl::StrCat(json.dump(2, ' ', false,
                             nlohmann::ordered_json::error_handler_t::replace),
                   "\n");
  std::cout << (json_flag == "-" ? absl::string_view(json_text) : text)
            << std::flush;
  if (!std::cout) {
    return absl::ErrnoToStatus(errno, "cannot write to standard output");
  }
  if (json_flag.empty() || json_flag == "-") return absl::OkStatus();
  return WriteFlagFile("--json", json_flag, json_text);
}

}  // namespace linebloom::tools
