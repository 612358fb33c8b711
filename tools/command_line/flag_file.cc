#include "tools/command_line/flag_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace linebloom::tools {
namespace {

absl::Status StatusOf(const std::ofstream& file, absl::string_view flag,
                      const std::string& path) {
  if (file) return absl::OkStatus();
  return absl::ErrnoToStatus(
      errno, absl::StrCat("cannot write ", flag, "='", path, "'"));
}

}  // namespace

absl::Status CheckFlagFile(absl::string_view flag, const std::string& path) {
  const bool existed = std::filesystem::exists(path);
  const absl::Status status =
      StatusOf(std::ofstream(path, std::ios::app), flag, path);
  std::error_code ignored;
  if (status.ok() && !existed) std::filesystem::remove(path, ignored);
  return status;
}

absl::Status WriteFlagFile(absl::string_view flag, const std::string& path,
                           absl::string_view bytes) {
  std::ofstream file(path, std::ios::trunc);
  file << bytes;
  file.close();
  return StatusOf(file, flag, path);
}

}  // namespace linebloom::tools
