// Decides which rows to load, which may be those of an existing database, and
// which keys to look up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/compare/keys.h"
#include "tools/compare/row_source.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {

// The flags of linebloom compare, under their names. Texts are "" if not given.
struct CompareConfig {
  std::string database;  // to copy
  uint64_t rows = 2'000'000;
  uint64_t value_size = 100;  // bytes
  uint64_t file_size = 0;     // bytes; 0: by the size of all rows
  std::string key_file;
  std::string missing_file;
  uint64_t lookups = 200'000;
  uint64_t rounds = 5;
  double hit_ratio = 0;  // share of the lookups that are for existing rows
  double zipf = 0;       // exponent; 0: lookups are evenly spread
  uint64_t seed = 1;
  bool direct_io = true;
  std::string policies;
  // Small, so that reads go to the device: a live database's cache is full of
  // more useful blocks.
  uint64_t block_cache_size = 64 << 10;  // bytes
  // With sizes, one cache holds filters, indexes and data.
  std::string memory;
  bool partitioned = false;
  uint64_t cache_shards = 1;
  std::string scratch_dir;
  bool keep = false;

  bool caches_filters() const { return !memory.empty(); }
};

struct Workload {
  RowSource rows;
  LookupMix mix;
  Keys lookups;
  // How many of the lookups are for existing rows, if the keys of each are
  // known not to repeat.
  std::optional<uint64_t> existing = {};
  Json facts;  // for the report
  std::vector<std::string> notes;
};

// According to the flags: generated rows, those of a key file, or those of a
// database (source_database.h). `scratch` is a folder that this may use. Errors
// name the flag.
absl::StatusOr<Workload> MakeWorkload(const CompareConfig& config,
                                      const std::filesystem::path& scratch);

}  // namespace linebloom::tools
