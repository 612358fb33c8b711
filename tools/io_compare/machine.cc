#include "tools/io_compare/machine.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "rocksdb/version.h"

namespace linebloom::tools {
namespace {

constexpr char kUnknown[] = "unknown";

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
void DescribeMount(const std::filesystem::path& folder, Machine* machine) {
  machine->device = machine->file_system = kUnknown;
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
    machine->file_system = after[0];
    machine->device = after[1];
    if (same_device) return;
  }
}

}  // namespace

Machine DescribeMachine(const std::filesystem::path& folder) {
  Machine machine;
  utsname system = {};
  uname(&system);
  machine.cpu = CpuModel(system);
  machine.cores = UsableCores();
  machine.kernel = absl::StrCat(system.sysname, " ", system.release);
  machine.rocksdb_version = rocksdb::GetRocksVersionAsString();
  DescribeMount(folder, &machine);
  return machine;
}

}  // namespace linebloom::tools
