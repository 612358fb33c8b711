// Builds the database of one policy, opens it, looks up keys and counts what
// that costs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "tools/compare/keys.h"
#include "tools/compare/row_source.h"
#include "tools/database/filter_stats.h"
#include "tools/database/policies.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// The block cache of a database.
struct CacheOptions {
  uint64_t bytes = 0;  // in one shard
  // Filters and indexes are in it, those of level 0 pinned. Otherwise they stay
  // in memory beside it.
  bool holds_filters = false;
  bool partitioned = false;  // filters and indexes
};

// Creates a database in `path`, which must not exist, with exactly the files
// that `rows` plans: all that RocksDB would decide on its own is switched off
// or prescribed, because it may depend on the size of the filters.
absl::Status BuildDatabase(const RowSource& rows, const FilterPolicyPtr& policy,
                           const CacheOptions& cache, const std::string& path,
                           Progress* progress);

// Opens the database read-only for measuring, with all files open, statistics
// and a new block cache. Clears `direct_io` (reading past the page cache) if
// the file system has none.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForMeasuring(
    const RowSource& rows, const FilterPolicyPtr& policy,
    const CacheOptions& cache, const std::string& path, bool* direct_io);

// Of one round, in microseconds: 99 % of the lookups took no longer than p99.
struct LookupTimes {
  double mean;
  double p99;
};

// Sums over all rounds, and the times of each.
struct Measurement {
  uint64_t lookups = 0;
  uint64_t found = 0;
  // The blocks that RocksDB read from files, and their bytes.
  uint64_t data_block_reads = 0;
  uint64_t index_block_reads = 0;
  uint64_t filter_block_reads = 0;
  uint64_t block_bytes = 0;
  FilterStats answers;  // from RocksDB's statistics
  std::vector<LookupTimes> rounds;

  uint64_t all_block_reads() const {
    return data_block_reads + index_block_reads + filter_block_reads;
  }
};

// Looks up keys [begin, end), at least one. `db` comes from OpenForMeasuring.
// Adds another round to `measured`. Cancelled after a signal.
absl::Status MeasureRound(rocksdb::DB* db, const Keys& lookups, uint64_t begin,
                          uint64_t end, Progress* progress,
                          Measurement* measured);

}  // namespace linebloom::tools
