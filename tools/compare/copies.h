// Builds a copy of the database with the filters of one policy, opens it, looks
// up keys and counts what that costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "filter_policy/bits/read_model.h"
#include "tools/compare/keys.h"
#include "tools/compare/source.h"
#include "tools/database/databases.h"
#include "tools/database/info_log.h"
#include "tools/database/policies.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// What copies differ in.
struct Setup {
  FilterPolicyPtr policy;
  read_model::Cache cache = {};
};

// The files of a copy.
struct CopiedFiles {
  // Each in words, but for what depends on its filter.
  std::vector<std::string> shape = {};
  bool are_as_before = true;  // as those of the database
  uint64_t entries = 0;
  uint64_t filter_bytes = 0;
  uint64_t index_bytes = 0;
};

// Links the source's SSTables into `path`, which must not exist (or copies
// them, to another file system), and rewrites each alone and on its level, so
// that all copies are alike.
absl::StatusOr<CopiedFiles> BuildCopy(const Source& source, const Setup& setup,
                                      const std::string& path,
                                      const std::string& step,
                                      Progress* progress);

// Opens the copy for measuring, with all files open, statistics and a new block
// cache. Clears `direct_io` (reading past the page cache) if the file system
// has none.
absl::StatusOr<ReadOnlyDatabase> OpenCopy(const Source& source,
                                          const Setup& setup,
                                          const std::string& path,
                                          bool* direct_io);

// Sums over all rounds, and the times of each.
struct Measurement {
  uint64_t lookups = 0;
  uint64_t found = 0;
  uint64_t lost = 0;  // rows that exist and weren't found
  // The blocks that RocksDB read from files.
  uint64_t data_block_reads = 0;
  uint64_t index_block_reads = 0;
  uint64_t filter_block_reads = 0;
  FilterStats answers;  // from RocksDB's statistics
  // Of each round: 99 % of its lookups took no longer than p99.
  std::vector<double> mean_us;
  std::vector<double> p99_us;

  uint64_t all_block_reads() const {
    return data_block_reads + index_block_reads + filter_block_reads;
  }
};

// Looks up keys [begin, end), at least one, until `max_reads` blocks are read.
// `db` comes from OpenCopy. Adds another round to `measured`. Cancelled after a
// signal.
absl::Status MeasureRound(const ReadOnlyDatabase& db, const LookupMix& mix,
                          uint64_t begin, uint64_t end, uint64_t max_reads,
                          Progress* progress, Measurement* measured);

}  // namespace linebloom::tools
