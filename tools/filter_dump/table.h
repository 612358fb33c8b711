// The filters of files, levels and column families, and what lookups of missing
// rows cost with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "linebloom/observed_rate.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/filter_dump/config.h"
#include "tools/filter_dump/inputs.h"

namespace linebloom::tools {

// The answers of a database's filters, as RocksDB wrote them into its LOG.
struct LoggedAnswers {
  std::string when;       // as in the LOG: "2026/11/21-17:11:03.123456"
  FilterAnswers answers;  // since the statistics were created
};

struct TableEntry {
  LiveFile file;
  // Nothing if the file could not be described.
  std::optional<FileFacts> facts;
};

// Sums over the described files of one level, or of all levels.
struct Totals {
  uint64_t files = 0;
  uint64_t files_without_filter = 0;
  uint64_t rows = 0;
  uint64_t filter_bytes = 0;
  uint64_t keys = 0;  // rows if the number of keys is unknown
  double rate = 1;    // the mean of the files' rates, weighted by rows
  bool rate_is_exact = true;
  // The data blocks that a lookup of a missing row reads, from ExpectedReads.
  // Nothing for files without a level.
  std::optional<double> reads;

  std::optional<double> bits_per_key() const;
};

struct LevelTotals {
  int level = kNoLevel;
  Totals totals;
};

struct FamilyTable {
  std::string name;  // of the column family; "" for files named individually
  std::vector<TableEntry> entries;
  std::vector<LevelTotals> levels;
  Totals all;
};

struct TableReport {
  std::string database;
  std::vector<FamilyTable> families;
  std::optional<LoggedAnswers> observed;  // over all column families
  std::vector<std::string> notes;
  std::vector<std::string> problems;
  int exit_code = 0;
};

// Errors are those of listing the files, and Cancelled.
absl::StatusOr<TableReport> MakeTable(const FilterDumpConfig& config);

// Computes the levels and `all` from the entries.
void AddTotals(FamilyTable* table);

// True if a filter says by which heat it got its bits.
bool AnyHeat(const FamilyTable& table);

std::string TableAsText(const TableReport& report);
nlohmann::ordered_json TableAsJson(const TableReport& report);
// For a database. The metrics are those of FilterMetrics(), and what only the
// filters' bits tell.
std::string TableAsPrometheus(const TableReport& report);

}  // namespace linebloom::tools
