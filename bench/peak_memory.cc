#include "bench/peak_memory.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace linebloom {
namespace {

// Returns a line of /proc/self/status, in bytes.
size_t StatusBytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) {
      return std::stoull(line.substr(name.size() + 1)) * 1024;
    }
  }
  return 0;
}

}  // namespace

PeakMemory::PeakMemory() {
  malloc_trim(0);  // so that reused freed memory counts too
  std::ofstream("/proc/self/clear_refs") << "5";
  at_first_ = StatusBytes("VmRSS");
}

size_t PeakMemory::Growth() const {
  return std::max(StatusBytes("VmHWM"), at_first_) - at_first_;
}

}  // namespace linebloom
