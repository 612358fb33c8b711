// Decides which rows to load, which may be those of an existing database, and
// which keys to look up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/compare/keys.h"
#include "tools/compare/row_source.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// The flags of linebloom compare, under their names. Texts are "" if not given.
struct CompareConfig {
  std::string database;  // to copy
  uint64_t rows = 2'000'000;
  uint64_t lookups = 200'000;
  uint64_t rounds = 5;
  double hit_ratio = 0;  // share of the lookups that are for existing rows
  uint64_t seed = 1;
  std::string policies;
  // With sizes, one cache holds filters, indexes and data.
  std::string memory;
  bool partitioned = false;
  std::string scratch_dir;

  bool caches_filters() const { return !memory.empty(); }
};

struct Workload {
  RowSource rows;
  LookupMix mix;
  Lookups lookups;
  Json facts;  // for the report
  std::vector<std::string> notes;
};

// According to the flags: generated rows, or those of a database
// (source_database.h). `scratch` is a folder that this may use. Errors name the
// flag.
absl::StatusOr<Workload> MakeWorkload(const CompareConfig& config,
                                      const std::filesystem::path& scratch);

}  // namespace linebloom::tools
