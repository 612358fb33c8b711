// What is compared: a database of which each policy gets a copy, and the keys
// to look up in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "tools/compare/keys.h"
#include "tools/database/database_facts.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// The flags of linebloom compare, under their names. Texts are "" if not given.
struct CompareConfig {
  std::string database;  // to copy
  uint64_t rows = 2'000'000;
  uint64_t lookups = 200'000;
  uint64_t rounds = 5;
  std::optional<double> hit_ratio;  // of the lookups
  uint64_t seed = 1;
  std::string policies;
  // With sizes in bytes, one cache holds filters, indexes and data.
  std::set<uint64_t> memory;
  bool partitioned = false;
  std::string scratch_dir;
};

struct Source {
  DatabaseFacts facts;
  // All column families, each with what a copy needs of its options.
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  LookupMix mix;  // MakeSource() leaves its hit_ratio open
  std::vector<std::string> notes;
};

// The user's database, of which all is read for a sample of its keys; what only
// its write-ahead log has is left out. No process may have it open, and nothing
// in its folder changes. Without one: generated rows, laid out in `scratch`,
// which has to have room for them and for so many `copies`.
//
// InvalidArgument if it isn't a RocksDB database or has no live rows;
// ResourceExhausted without enough space; else RocksDB's errors.
absl::StatusOr<Source> MakeSource(const CompareConfig& config,
                                  const std::filesystem::path& scratch,
                                  size_t copies, Progress* progress);

}  // namespace linebloom::tools
