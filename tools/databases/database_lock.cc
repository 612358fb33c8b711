#include "tools/databases/database_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace linebloom::tools {
namespace {

absl::Status CheckLock(absl::string_view flag, const std::string& folder) {
  const std::string path = folder + "/LOCK";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    // A copied database may lack the file.
    if (errno == ENOENT) return absl::OkStatus();
    return absl::ErrnoToStatus(
        errno, absl::StrCat(flag, ": cannot open '", path, "'"));
  }
  // RocksDB locks the whole file for writing; find out who would block the same
  // lock.
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const int result = fcntl(file, F_GETLK, &lock);
  const int error = errno;
  close(file);
  if (result != 0) {
    return absl::ErrnoToStatus(
        error, absl::StrCat(flag, ": cannot check the lock on '", path, "'"));
  }
  if (lock.l_type == F_UNLCK) return absl::OkStatus();
  // If the owner is in another container's process namespace, the ID is 0.
  const std::string who =
      lock.l_pid > 0 ? absl::StrCat("process ", lock.l_pid) : "another process";
  return absl::InvalidArgumentError(absl::StrCat(
      flag, ": database '", folder, "' is locked: ", who, " has it open"));
}

}  // namespace

absl::Status CheckIsDatabase(absl::string_view flag,
                             const std::string& folder) {
  std::error_code error;
  const std::filesystem::path current = folder + "/CURRENT";
  if (!std::filesystem::is_directory(folder, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": '", folder, "' is not a RocksDB database: ",
                     error ? error.message() : "not a folder"));
  }
  if (!std::filesystem::exists(current, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": '", folder, "' is not a RocksDB database: ",
                     error ? error.message() : "it has no file CURRENT"));
  }
  return absl::OkStatus();
}

absl::Status CheckUnlockedDatabase(absl::string_view flag,
                                   const std::string& folder) {
  const absl::Status status = CheckIsDatabase(flag, folder);
  return status.ok() ? CheckLock(flag, folder) : status;
}

}  // namespace linebloom::tools
