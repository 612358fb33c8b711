// What io_compare is asked to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace linebloom::tools {

// The flags, by their names. Paths are "" where not given.
struct IoCompareConfig {
  std::string db;
  bool keep = false;
  uint64_t rows = 2'000'000;
  uint64_t value_size = 100;  // bytes
  uint64_t lookups = 200'000;
  uint32_t rounds = 5;
  double hit_ratio = 0;  // share of the lookups that ask for existing rows
  uint32_t threads = 1;
  double bits_per_key = 10;
  std::string policies =
      "none;rocksdb-bloom;rocksdb-ribbon;linebloom-plain;linebloom;"
      "linebloom-levels";
  std::string key_file;
  std::string missing_file;
  std::string source_db;
  uint64_t row_prefix = 0;  // bytes; 0 for no rows and cells
  uint64_t cells_per_row = 10;
  uint64_t seed = 1;
  std::string json;
  bool direct_io = true;
  // Small, so that reads go to the device; a live database's cache has other
  // things to hold than blocks that turn out not to have the key.
  uint64_t block_cache_size = 64 << 10;  // bytes
};

// Reads the absl flags.
IoCompareConfig ConfigFromFlags();

// InvalidArgument that names flag, value and range where one is out of range or
// two exclude each other. Looks at no file.
absl::Status ValidateConfig(const IoCompareConfig& config);

}  // namespace linebloom::tools
