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
  // The file first: with an error nothing is printed.
  if (!json_flag.empty() && json_flag != "-") {
    const absl::Status written = WriteFlagFile("--json", json_flag, json_text);
    if (!written.ok()) return written;
  }
  std::cout << (json_flag == "-" ? absl::string_view(json_text) : text)
            << std::flush;
  if (std::cout) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "cannot write to standard output");
}

}  // namespace linebloom::tools
