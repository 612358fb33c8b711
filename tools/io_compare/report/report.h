// What io_compare is asked for, and the result, as JSON and text made of that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/io_compare/database.h"
#include "tools/io_compare/rows/row_source.h"

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
  std::string skew;      // of the missing keys (rows/keys.h)
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

// The rate that a lookup of a missing key should meet per probed file: the mean
// weighted by lookups. Nothing if a file has no filter of known rate.
struct PredictedRates {
  std::optional<double> all;
  std::map<int, double> levels;
};

struct PolicyResult {
  std::string name;     // as in --policies
  std::string options;  // RocksDB's option string for it; "" for none
  Shape shape;
  std::vector<uint64_t> filter_bytes_by_level;
  uint64_t warm_lookups = 0;  // before its files were rewritten
  double build_seconds = 0;
  Measurement measured;
  PredictedRates predicted;
  std::string io_agreement;  // by CompareIo()

  uint64_t filter_bytes() const;
  double bits_per_key() const;
};

struct Report {  // NOLINT(bugprone-exception-escape): moves of JSON don't throw
  std::string command;
  Json machine;                       // by DescribeMachine()
  Json workload;                      // by MakeWorkload(), and `direct_io`
  std::vector<PolicyResult> results;  // in the order of --policies
  // Sentences: notes on the figures, and problems that void them.
  std::vector<std::string> notes;
  std::vector<std::string> problems;
};

// Builds a database for each policy, looks up keys in all and removes them
// (unless `keep` is set). Cancelled after a signal.
absl::StatusOr<Report> RunComparison(const IoCompareConfig& config);

// A sentence that compares the reads of linebloom (or of the policy with the
// fewest reads) with those of each other policy. "" for a single policy.
std::string ResultInWords(const Report& report);

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
