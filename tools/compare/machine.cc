#include "tools/compare/machine.h"

#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <thread>

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

bool IsBelow(absl::string_view path, absl::string_view folder) {
  return folder == "/" || path == folder ||
         absl::StartsWith(path, absl::StrCat(folder, "/"));
}

// The mount of `folder` is at the longest mount point above it.
void DescribeMount(const fs::path& folder, Json* machine) {
  (*machine)["device"] = (*machine)["file_system"] = "unknown";
  std::error_code ignored;
  const std::string path = fs::canonical(folder, ignored);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> mounts(
      setmntent("/proc/self/mounts", "r"), endmntent);
  size_t longest = 0;
  while (const mntent* mount = mounts ? getmntent(mounts.get()) : nullptr) {
    const absl::string_view point = mount->mnt_dir;
    if (point.size() < longest || !IsBelow(path, point)) continue;
    longest = point.size();
    (*machine)["file_system"] = mount->mnt_type;
    (*machine)["device"] = mount->mnt_fsname;
  }
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

std::optional<uint64_t> DirectIoAlignment(const fs::path& folder) {
  const std::string path = folder / "direct_io_test";
  std::ofstream(path, std::ios::binary) << std::string(kPageBytes, 'x');
  rocksdb::FileOptions options;
  options.use_direct_reads = true;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  rocksdb::IOStatus status =
      rocksdb::FileSystem::Default()->NewRandomAccessFile(path, options, &file,
                                                          nullptr);
  std::optional<uint64_t> alignment;
  if (status.ok()) {
    // Some file systems accept O_DIRECT when opening a file and then fail to
    // read it.
    alignas(kPageBytes) std::array<char, kPageBytes> page;
    rocksdb::Slice read;
    status = file->Read(0, page.size(), {}, &read, page.data(), nullptr);
    if (status.ok() && read.size() == page.size()) {
      alignment = file->GetRequiredBufferAlignment();
    }
  }
  std::error_code ignored;
  fs::remove(path, ignored);
  return alignment;
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

Json DescribeMachine(const std::filesystem::path& folder) {
  utsname system = {};
  uname(&system);
  Json machine = {{"cpu", CpuModel(system)},
                  {"cores", std::thread::hardware_concurrency()},
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

}  // namespace linebloom::tools
