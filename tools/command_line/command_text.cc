#include "tools/command_line/command_text.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace linebloom::tools {

std::string CommandText(int argc, char** argv) {
  std::string text = std::filesystem::path(argv[0]).filename().string();
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    const bool is_plain =
        !argument.empty() &&
        std::all_of(argument.begin(), argument.end(), [](char c) {
          return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                 absl::string_view("_-./=:,+@%").find(c) !=
                     absl::string_view::npos;
        });
    if (is_plain) {
      absl::StrAppend(&text, " ", argument);
    } else {
      absl::StrAppend(&text, " '",
                      absl::StrReplaceAll(argument, {{"'", "'\\''"}}), "'");
    }
  }
  return text;
}

}  // namespace linebloom::tools
