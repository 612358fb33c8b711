// Recommends a filter policy for a database and the memory of its block cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {

struct AdviseConfig {
  std::string db;
  std::string column_family;  // "": all
  uint64_t memory = 0;        // bytes of the block cache
  // Share of the lookups whose row exists; by default as the info log's last
  // statistics say, or none.
  std::optional<double> hit_ratio;
  std::string skew;   // of the lookups (keys.h)
  uint64_t seed = 1;  // decides where the skew's ranges lie
  std::string trace;  // whose lookups they are, in place of both
};

// Reads the footers, properties and metaindexes of the database's files, which
// another process may have open, and writes nothing. Tries Bloom, Ribbon and
// linebloom of 3 to 16 bits per key, level-aware too, and memory budgets, whole
// and partitioned. Only a trace's lookups are made. InvalidArgument for options
// out of range; else the errors of ListLiveFiles, SstFile and ReadTrace.
absl::StatusOr<Outcome> RunAdvise(const AdviseConfig& config);

}  // namespace linebloom::tools
