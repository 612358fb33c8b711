// Looks up keys and counts what it costs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "linebloom/observed_rate.h"
#include "rocksdb/db.h"
#include "tools/command_line/progress.h"
#include "tools/io_compare/latency.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/numbers/binomial_interval.h"
#include "tools/numbers/spread.h"

namespace linebloom::tools {

// The times of one round.
struct RoundTimes {
  Latency latency;
  double lookups_per_second = 0;  // of all threads together
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
  // Bytes that the kernel fetched meanwhile; nothing if it doesn't report it.
  std::optional<uint64_t> device_bytes;
  // Counts of all threads: from RocksDB's statistics, and from its counts per
  // level.
  FilterAnswers answers;
  FilterAnswersByLevel answers_by_level;
  std::vector<RoundTimes> rounds;
  LatencyHistogram latencies;

  // Over all rounds.
  Spread LatencySpread(double Latency::*number) const;
  Spread LookupsPerSecond() const;

  uint64_t all_block_reads() const {
    return data_block_reads + index_block_reads + filter_block_reads;
  }
  double reads_per_lookup() const {
    return static_cast<double>(data_block_reads) / static_cast<double>(lookups);
  }
  // The 95 % interval of reads_per_lookup, treating reads as independent
  // events.
  Interval reads_interval() const;
};

// The keys to look up, and how.
struct LookupList {
  const KeyList* keys;  // not null
  // If not 0, each lookup scans the row given by this many bytes of the key,
  // instead of a Get. It finds something if the row has a cell.
  size_t scanned_row_bytes = 0;
  // The range of keys to look up: [begin, end).
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
};

// Does all `lookups`, at least one, in `db` with `threads` threads, after some
// warm-up lookups that don't count. `db` must come from OpenForMeasuring. With
// `drop_pages`, pages of its SSTables, in `folder`, are dropped from the page
// cache before and during the lookups. Adds the counts to `measured` as another
// round. Returns Cancelled after a signal; other errors are read errors.
absl::Status MeasureRound(rocksdb::DB* db, const std::filesystem::path& folder,
                          const LookupList& lookups, uint32_t threads,
                          bool drop_pages, Progress* progress,
                          Measurement* measured);

}  // namespace linebloom::tools
