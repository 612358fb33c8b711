// Builds the database of one policy, opens it, looks up keys and counts what
// that costs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "linebloom/observed_rate.h"
#include "nlohmann/json.hpp"
#include "rocksdb/db.h"
#include "tools/compare/keys.h"
#include "tools/compare/row_source.h"
#include "tools/shared/intervals.h"
#include "tools/shared/policies.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {

// The block cache of a database.
struct CacheOptions {
  uint64_t bytes = 0;
  int shard_bits = -1;  // the logarithm of the number of shards; -1: RocksDB's
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
// and a new block cache.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForMeasuring(
    const RowSource& rows, const FilterPolicyPtr& policy,
    const CacheOptions& cache, const std::string& path, bool direct_io);

// What one thread counts, and sums of it.
struct LookupCounts {
  uint64_t found = 0;
  // The blocks that RocksDB read from files, and their bytes.
  uint64_t data_block_reads = 0;
  uint64_t index_block_reads = 0;
  uint64_t filter_block_reads = 0;
  uint64_t filter_blocks_found = 0;  // in the cache
  uint64_t block_bytes = 0;
  FilterStatsByLevel stats_by_level;

  void Add(const LookupCounts& more);
};

// The median of repeated measurements and their extremes.
struct Spread {
  double min;
  double median;
  double max;
};

// Sums over all rounds, and the times of each.
struct Measurement : LookupCounts {
  uint64_t lookups = 0;
  // Bytes that the kernel fetched meanwhile; nothing if it doesn't report it.
  std::optional<uint64_t> device_bytes;
  FilterStats answers;  // from RocksDB's statistics
  // `mean_us`, `p50_us` and `p99_us` of a lookup, in microseconds, and
  // `lookups_per_second` of all threads together.
  Json rounds = Json::array();
  std::vector<uint32_t> nanoseconds;  // of each lookup, in order

  // Adds the times of a round's lookups, at least one.
  void AddRound(std::vector<uint32_t> of_round, double seconds);

  // The spread of one of the numbers in `rounds`, at least one. The median of
  // an even number of rounds is the mean of the middle two.
  Spread OverRounds(const std::string& number) const;

  // Pairs of microseconds and the share of lookups that took at least as long,
  // each 5 % less than the one before.
  Json SlowerThan() const;

  uint64_t all_block_reads() const {
    return data_block_reads + index_block_reads + filter_block_reads;
  }
  double reads_per_lookup() const { return 1.0 * data_block_reads / lookups; }
  // The 95 % interval of reads_per_lookup, treating reads as independent
  // events.
  Interval reads_interval() const;
};

// Does all `lookups`, at least one, with `threads` threads. `db` comes from
// OpenForMeasuring. Adds another round to `measured`. Cancelled after a signal.
absl::Status MeasureRound(rocksdb::DB* db, const Keys& lookups,
                          uint32_t threads, Progress* progress,
                          Measurement* measured);

}  // namespace linebloom::tools
