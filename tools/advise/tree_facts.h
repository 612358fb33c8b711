// The trees of a database and the block caches that they share, from the
// metadata of its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "filter_policy/bits/read_model.h"
#include "tools/database/database_facts.h"

namespace linebloom::tools {

// A block cache and the column families that share it.
struct CacheFacts {
  std::vector<std::string> families;
  std::vector<read_model::Tree> trees;  // their files keep their filters
  // By the stored options and the info log, as the family with the most rows
  // uses it. The capacity is 0 if unknown.
  read_model::Cache cache;
  double most_rows = 0;
  bool is_beside = false;  // filters aren't in it, but --memory has them there
  size_t files = 0;
  size_t filtered = 0;  // of them, with filters that lookups use
  double rows = 0;
  double keys = 0;       // in the filters
  std::string policies;  // that wrote the filters
};

struct AdviseFacts {
  std::vector<CacheFacts> caches;
  FilterCensus::Findings findings;
  std::optional<double> hit_ratio;  // by the info log
  std::string chosen_bits;          // as of InfoLogFacts
  size_t files = 0;
};

// Reads the files' footers, properties and metaindexes and nothing else;
// another process may have the database open, and files that it has removed
// meanwhile are left out. `column_family` alone unless it is "". If `memory` is
// given, it is the capacity of one cache that all share, filters included.
// InvalidArgument without files; else the errors of ReadDatabase() and SstFile.
absl::StatusOr<AdviseFacts> ReadAdviseFacts(const std::string& folder,
                                            const std::string& column_family,
                                            std::optional<uint64_t> memory);

// The shards of an LRUCache of `capacity` bytes, if nobody says how many.
double DefaultShards(double capacity);

}  // namespace linebloom::tools
