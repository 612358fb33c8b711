// Compares policies, each with each cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/compare/measure.h"
#include "tools/compare/row_source.h"
#include "tools/compare/workload.h"
#include "tools/database/policies.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// A policy with a cache.
struct Result {
  NamedPolicy policy;
  CacheOptions cache;
  size_t database;  // from 1; those that differ in the cache alone share it
  Shape shape = {};
  // Of all files.
  uint64_t entries = 0;
  uint64_t filter_bytes = 0;
  uint64_t index_bytes = 0;
  double build_seconds = 0;
  Measurement measured = {};
};

struct Comparison {  // NOLINT(bugprone-exception-escape): moves of JSON
  Workload workload;
  bool direct_io = false;
  std::vector<Result> results;
};

// Builds a database for each policy, looks up keys with each cache, and removes
// the databases. InvalidArgument for bad flags, or if the smallest cache can't
// hold a filter or an index; Cancelled after a signal.
absl::StatusOr<Comparison> Compare(const CompareConfig& config);

// An object with `facts` in words, `machine`, `workload`, `results`, each of a
// policy with a cache, `result` in sentences, `notes` on the figures, and
// `problems` that void them: databases differ in more than filters, or rows
// weren't found. There must be a result.
Json ReportAsJson(const Comparison& comparison);

// The JSON for people: a header, a table, notes, and the result as the last
// lines.
std::string ReportAsText(const Json& report);

}  // namespace linebloom::tools
