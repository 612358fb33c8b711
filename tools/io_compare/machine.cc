#include "tools/io_compare/machine.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "rocksdb/file_system.h"
#include "rocksdb/version.h"

namespace linebloom::tools {
namespace {

namespace fs = std::filesystem;

absl::Status Unusable(absl::string_view what, const std::string& path,
                      const std::error_code& error) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " '", path, "': ", error.message()));
}

// x86 has "model name". ARM names no model there, so use the architecture.
std::string CpuModel(const utsname& system) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    if (parts.size() == 2 && absl::StartsWith(parts[0], "model name")) {
      return std::string(absl::StripAsciiWhitespace(parts[1]));
    }
  }
  return system.machine;
}

int UsableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

bool IsBelow(absl::string_view path, absl::string_view folder) {
  return folder == "/" || path == folder ||
         absl::StartsWith(path, absl::StrCat(folder, "/"));
}

// Finds the mount of `folder` by its device number, or else by the longest
// mount point above it, because Btrfs has device numbers of its own.
void DescribeMount(const std::filesystem::path& folder,
                   nlohmann::ordered_json* machine) {
  (*machine)["device"] = (*machine)["file_system"] = "unknown";
  struct stat info;
  if (stat(folder.c_str(), &info) != 0) return;
  const std::string number =
      absl::StrCat(major(info.st_dev), ":", minor(info.st_dev));
  size_t longest = 0;
  std::ifstream file("/proc/self/mountinfo");
  std::string line;
  while (std::getline(file, line)) {
    // "36 35 98:0 /mnt1 /mnt2 rw master:1 - ext3 /dev/root rw"
    const std::vector<std::string> halves =
        absl::StrSplit(line, absl::MaxSplits(" - ", 1));
    if (halves.size() != 2) continue;
    const std::vector<std::string> before = absl::StrSplit(halves[0], ' ');
    const std::vector<std::string> after = absl::StrSplit(halves[1], ' ');
    if (before.size() < 5 || after.size() < 2) continue;
    const bool same_device = before[2] == number;
    const std::string& point = before[4];
    if (!same_device &&
        (point.size() < longest || !IsBelow(folder.string(), point))) {
      continue;
    }
    longest = point.size();
    (*machine)["file_system"] = after[0];
    (*machine)["device"] = after[1];
    if (same_device) return;
  }
}

constexpr uint64_t kPageBytes = 4096;

// Some file systems accept O_DIRECT when opening a file and then fail to read
// it.
bool CanReadDirectly(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  if (file < 0) return false;
  void* buffer = nullptr;
  bool can = false;
  if (posix_memalign(&buffer, kPageBytes, kPageBytes) == 0) {
    can =
        pread(file, buffer, kPageBytes, 0) == static_cast<ssize_t>(kPageBytes);
    std::free(buffer);
  }
  close(file);
  return can;
}

}  // namespace

std::optional<uint64_t> DeviceBytesRead() {
  std::ifstream file("/proc/self/io");
  std::string line;
  constexpr absl::string_view kField = "read_bytes: ";
  while (std::getline(file, line)) {
    uint64_t bytes = 0;
    if (absl::StartsWith(line, kField) &&
        absl::SimpleAtoi(line.substr(kField.size()), &bytes)) {
      return bytes;
    }
  }
  return std::nullopt;
}

bool SupportsDirectIo(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "direct_io_test";
  {
    std::ofstream file(path, std::ios::binary);
    file << std::string(kPageBytes, 'x');
  }
  const bool can = CanReadDirectly(path.string());
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return can;
}

uint64_t ReadAlignment(const std::filesystem::path& file, bool direct_io) {
  if (!direct_io) return kPageBytes;
  rocksdb::FileOptions options;
  options.use_direct_reads = true;
  std::unique_ptr<rocksdb::FSRandomAccessFile> opened;
  const rocksdb::IOStatus status =
      rocksdb::FileSystem::Default()->NewRandomAccessFile(
          file.string(), options, &opened, nullptr);
  return status.ok() ? opened->GetRequiredBufferAlignment() : kPageBytes;
}

PageDropper::PageDropper(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".sst") continue;
    const int file = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) files_.push_back(file);
  }
}

PageDropper::~PageDropper() {
  for (const int file : files_) close(file);
}

void PageDropper::Drop() const {
  for (const int file : files_) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

std::string CompareIo(uint64_t asked_bytes, uint64_t reads, uint64_t alignment,
                      std::optional<uint64_t> device_bytes) {
  if (!device_bytes.has_value()) {
    return "is not available here, so the device bytes are unknown";
  }
  if (reads == 0) return "";
  if (*device_bytes == 0) {
    return "is zero: this file system has no device behind it, or hides it, "
           "and times are not those of a disk";
  }
  if (*device_bytes < asked_bytes) {
    return "is smaller than RocksDB's: some reads came out of memory";
  }
  const uint64_t rounding = reads * 2 * (alignment - 1);
  return *device_bytes > asked_bytes + rounding
             ? "is larger than RocksDB's and rounding together explain: "
               "something reads ahead, or other reads were under way"
             : "agrees with RocksDB's within the rounding to whole blocks of "
               "the device";
}

nlohmann::ordered_json DescribeMachine(const std::filesystem::path& folder) {
  utsname system = {};
  uname(&system);
  nlohmann::ordered_json machine = {
      {"cpu", CpuModel(system)},
      {"cores", UsableCores()},
      {"kernel", absl::StrCat(system.sysname, " ", system.release)},
      {"rocksdb_version", rocksdb::GetRocksVersionAsString()}};
  DescribeMount(folder, &machine);
  return machine;
}

absl::StatusOr<std::unique_ptr<ScratchFolder>> UseScratchFolder(
    const std::string& path, absl::string_view name) {
  std::error_code error;
  const fs::path absolute =
      path.empty() ? fs::current_path(error) : fs::absolute(path, error);
  if (error) {
    return Unusable("cannot use folder", path.empty() ? "." : path, error);
  }
  const auto use = [](const fs::path& folder, bool was_made) {
    return absl::WrapUnique(new ScratchFolder{folder, was_made});
  };
  if (path.empty()) {
    std::string made = (absolute / absl::StrCat(name, ".XXXXXX")).string();
    if (mkdtemp(made.data()) != nullptr) return use(made, true);
    error.assign(errno, std::generic_category());
    return Unusable("cannot make a temporary folder in", absolute.string(),
                    error);
  }
  if (fs::create_directory(absolute, error)) return use(absolute, true);
  if (error) return Unusable("cannot make folder", path, error);
  const bool empty = fs::is_empty(absolute, error);
  if (error) return Unusable("cannot read folder", path, error);
  if (!empty) {
    return absl::InvalidArgumentError(absl::StrCat(
        "folder '", path, "' is not empty; give an empty or a new one"));
  }
  if (access(absolute.c_str(), W_OK) != 0) {
    error.assign(errno, std::generic_category());
    return Unusable("cannot write to folder", path, error);
  }
  return use(absolute, false);
}

ScratchFolder::~ScratchFolder() {
  if (keep) return;
  std::error_code ignored;  // nobody to report it to
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    fs::remove_all(entry.path(), ignored);
  }
  if (was_made) fs::remove(path, ignored);
}

absl::StatusOr<uint64_t> FreeBytes(const fs::path& path) {
  std::error_code error;
  const fs::space_info space = fs::space(path, error);
  if (error) return Unusable("cannot determine the free space in", path, error);
  return space.available;
}

}  // namespace linebloom::tools
