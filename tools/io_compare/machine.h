// What a measurement ran on.
#pragma once

#include <filesystem>
#include <string>

namespace linebloom::tools {

// Fields that the system does not tell are "unknown".
struct Machine {
  std::string cpu;  // "AMD EPYC"
  int cores;        // that this process may use
  std::string kernel;
  std::string rocksdb_version;
  std::string device;       // where the folder lies: "/dev/vda"
  std::string file_system;  // "ext4"
};

Machine DescribeMachine(const std::filesystem::path& folder);

}  // namespace linebloom::tools
