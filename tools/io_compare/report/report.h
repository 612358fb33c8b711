// What a comparison found, and its two forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"
#include "tools/io_compare/config.h"
#include "tools/io_compare/database.h"
#include "tools/io_compare/kernel_io.h"
#include "tools/io_compare/machine.h"
#include "tools/io_compare/measure.h"
#include "tools/io_compare/prediction.h"
#include "tools/io_compare/rows/shape.h"

namespace linebloom::tools {

// What is the same for all policies.
struct WorkloadFacts {
  std::string source;           // "generated", or the flag that names the rows
  std::string source_path;      // of a key file or a database
  std::string missing;          // in words: where the missing keys are from
  uint64_t entries = 0;         // rows, and deletions where there are some
  uint64_t rows = 0;            // with --row_prefix: rows that have cells
  double key_bytes = 0;         // on average; 0 where not known
  uint64_t asked_existing = 0;  // lookups of rows that exist
  uint64_t asked_missing = 0;
  uint64_t block_bytes = 0;  // size of data blocks
  std::string folder;
  bool direct_io = false;
};

// With --row_prefix: what there is beside the lookups of missing cells.
struct RowLookups {
  FilterKeys keys = FilterKeys::kCells;
  Measurement missing_rows;  // Gets of a cell of a row that does not exist
  Measurement scans;         // of such rows
};

struct PolicyResult {
  std::string name;     // as in --policies
  std::string options;  // RocksDB's option string for it; "" for none
  Shape shape;
  std::vector<uint64_t> filter_bytes_by_level;
  double build_seconds = 0;
  Measurement measured;
  std::optional<RowLookups> rows;
  PredictedRates predicted;
  IoAgreement io_agreement = IoAgreement::kKernelSilent;

  uint64_t filter_bytes() const;
  double bits_per_key() const;
};

struct Report {
  IoCompareConfig config;
  Machine machine;
  WorkloadFacts workload;
  std::vector<PolicyResult> results;  // in the order of --policies
  // Sentences: what to know about the figures, and what makes them void.
  std::vector<std::string> notes;
  std::vector<std::string> problems;
};

// What a policy is called in tables and pictures: its name, or for long ones
// the name's beginning and a number, which the notes explain.
std::string Label(const Report& report, size_t i);

// How the reads of linebloom, or else of the policy that read least, compare
// with those of each other policy, in a sentence. "" for a single policy.
std::string ResultInWords(const Report& report);

// "rows", "cells" or "both".
std::string ToString(FilterKeys keys);

// For people: header, tables of at most 100 columns, each with what its columns
// say, and the result in words.
std::string ReportAsText(const Report& report);

// For programs: an object with `machine`, `workload` and `results`.
nlohmann::ordered_json ReportAsJson(const Report& report);

}  // namespace linebloom::tools
