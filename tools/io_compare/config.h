// The configuration of io_compare.
#pragma once

#include <cstdint>
#include <string>

namespace linebloom::tools {

// The flags, under their names. Paths are "" if not given.
struct IoCompareConfig {
  std::string db;
  bool keep = false;
  uint64_t rows = 2'000'000;
  uint64_t value_size = 100;  // bytes
  uint64_t file_size = 0;     // bytes; 0: by the size of all rows
  uint64_t lookups = 200'000;
  uint64_t rounds = 5;
  double hit_ratio = 0;  // share of the lookups that are for existing rows
  std::string skew;      // of the missing keys (rows/lookups.h)
  uint64_t warm_lookups = 4'000'000;
  uint64_t threads = 1;
  double bits_per_key = 10;
  std::string policies =
      "none;rocksdb-bloom;rocksdb-ribbon;linebloom-plain;linebloom;"
      "linebloom-levels";
  std::string key_file;
  std::string missing_file;
  std::string source_db;
  uint64_t seed = 1;
  std::string html;
  std::string typed;  // the command line
  bool direct_io = true;
  // Small, so that reads go to the device: the cache of a live database is full
  // of more useful blocks than those that turn out to lack the key.
  uint64_t block_cache_size = 64 << 10;  // bytes
};

}  // namespace linebloom::tools
