// What linebloom compare is asked for, and the result, as JSON and text made of
// that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/compare/database.h"
#include "tools/compare/row_source.h"
#include "tools/shared/policies.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {

// The flags, under their names. Paths are "" if not given.
struct CompareConfig {
  std::string db;
  bool keep = false;
  uint64_t rows = 2'000'000;
  uint64_t value_size = 100;  // bytes
  uint64_t file_size = 0;     // bytes; 0: by the size of all rows
  uint64_t lookups = 200'000;
  uint64_t rounds = 5;
  double hit_ratio = 0;  // share of the lookups that are for existing rows
  std::string skew;      // of the missing keys (keys.h)
  uint64_t threads = 1;
  double bits_per_key = 10;
  std::string policies =
      "none;rocksdb-bloom;rocksdb-ribbon;linebloom-plain;linebloom;"
      "linebloom-levels";
  std::string key_file;
  std::string missing_file;
  std::string source_db;
  std::string trace;  // of its lookups
  uint64_t seed = 1;
  bool direct_io = true;
  // Small, so that reads go to the device: the cache of a live database is full
  // of more useful blocks than those that turn out to lack the key.
  uint64_t block_cache_size = 64 << 10;  // bytes
  // With sizes, one cache that holds filters, indexes and data (memory.h).
  std::string memory;
  bool partitioned = false;
  uint64_t cache_shards = 1;
};

// The filters of a level, or of all.
struct LevelFilters {
  uint64_t bytes = 0;
  double probes = 0;  // lookups of missing keys that meet a file, on average
  double reads = 0;   // of these, those that the filters should let pass
  bool all_have_filters = true;

  // The false-positive rate to expect; nothing without filters.
  std::optional<double> rate() const {
    if (!all_have_filters || probes == 0) return std::nullopt;
    return reads / probes;
  }
};

struct PolicyResult {
  NamedPolicy policy;
  Shape shape;
  std::vector<LevelFilters> levels;
  LevelFilters all_levels;
  double build_seconds = 0;
  Measurement measured;
  std::string io_agreement;  // by CompareIo()

  double bits_per_key() const;
};

struct Report {  // NOLINT(bugprone-exception-escape): moves of JSON don't throw
  Json machine;  // by DescribeMachine()
  Json workload;                      // by MakeWorkload(), and `direct_io`
  std::vector<PolicyResult> results;  // in the order of --policies
  // Sentences: notes on the figures, and problems that void them.
  std::vector<std::string> notes;
  std::vector<std::string> problems;
};

// Builds a database for each policy, looks up keys in all and removes them
// (unless `keep` is set). Cancelled after a signal.
absl::StatusOr<Outcome> RunComparison(const CompareConfig& config);

// An object with `facts` in words, `machine`, `workload` and `results`. There
// must be a result.
Json ReportAsJson(const Report& report);

// The JSON for people: a header, tables of at most 100 columns that explain
// their columns, and the result in words.
std::string ReportAsText(const Json& report);

// Adds a problem to `report`, whose results and facts are complete, if
// databases differ in more than filters or rows were not found, and adds notes.
// `expected` is the shape of --source_db, without files if there is none.
void AddFindings(const Shape& expected, Report* report);

}  // namespace linebloom::tools
