// Compares policies, each with each cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "filter_policy/bits/auto_bits.h"
#include "nlohmann/json.hpp"
#include "tools/compare/copies.h"
#include "tools/compare/source.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// A policy with a cache.
struct Result {
  std::string policy;
  Setup setup;
  size_t copy;  // from 1; those that differ in the cache alone share it
  // Of bits_per_key=auto: what it chooses for this cache.
  std::optional<AutoBits> chosen = {};
  CopiedFiles files = {};
  Measurement measured = {};
};

struct Comparison {  // NOLINT(bugprone-exception-escape): moves of JSON
  CompareConfig config;
  Source source;
  bool direct_io = true;  // until the file system refuses it
  std::vector<Result> results;
};

// Builds a copy for each policy, looks up keys with each cache, and removes the
// copies. InvalidArgument for bad flags; Cancelled after a signal.
absl::StatusOr<Comparison> Compare(const CompareConfig& config);

// An object with `facts` in words, `machine`, `workload`, `results`, each of a
// policy with a cache, `result` in sentences, `notes` on the figures, and
// `problems` that void them: copies differ in more than filters, or rows
// weren't found. There must be a result.
Json ReportAsJson(const Comparison& comparison);

// The JSON for people: a header, a table, notes, and the result as the last
// lines.
std::string ReportAsText(const Json& report);

}  // namespace linebloom::tools
