#include "tools/command_line/flag_file.h"

#include <cerrno>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace linebloom::tools {

absl::Status WriteFlagFile(absl::string_view flag, const std::string& path,
                           absl::string_view bytes) {
  std::ofstream file(path, std::ios::trunc);
  file << bytes;
  file.close();
  if (file) return absl::OkStatus();
  return absl::ErrnoToStatus(
      errno, absl::StrCat("cannot write ", flag, "='", path, "'"));
}

}  // namespace linebloom::tools
