#include "tools/shared/page.h"

#include <array>
#include <ctime>

#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

// CMake makes a string literal of page.html.
constexpr char kPage[] =
#include "generated/page_html.inc"
    ;

// In UTC: "2026-11-23".
std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  std::array<char, 16> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

}  // namespace

absl::Status WritePage(const std::string& path, const std::string& command,
                       nlohmann::ordered_json result, absl::string_view text) {
  if (path.empty()) return absl::OkStatus();
  result["about"] = {
      {"command", command}, {"date", Today()}, {"versions", Versions()}};
  // Any "</script" would end the script element.
  const std::string json = absl::StrReplaceAll(
      result.dump(1, ' ', false,
                  nlohmann::ordered_json::error_handler_t::replace),
      {{"<", "\\u003c"}});
  const std::string escaped =
      absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
  return WriteFlagFile(
      "--html", path,
      absl::StrReplaceAll(kPage, {{"{{text}}", escaped}, {"{{json}}", json}}));
}

}  // namespace linebloom::tools
