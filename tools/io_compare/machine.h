// The machine that a measurement ran on.
#pragma once

#include <filesystem>
#include <string>

namespace linebloom::tools {

// Fields are "unknown" if the system doesn't reveal them.
struct Machine {
  std::string cpu;  // "AMD EPYC"
  int cores;        // available to this process
  std::string kernel;
  std::string rocksdb_version;
  std::string device;       // of the folder: "/dev/vda"
  std::string file_system;  // "ext4"
};

Machine DescribeMachine(const std::filesystem::path& folder);

}  // namespace linebloom::tools
