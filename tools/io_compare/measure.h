// Looking keys up, and counting what it cost.
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
  // Blocks that RocksDB read from files, and the bytes of all of them.
  uint64_t data_block_reads = 0;
  uint64_t index_block_reads = 0;
  uint64_t filter_block_reads = 0;
  uint64_t block_bytes = 0;
  // What the kernel fetched meanwhile; nothing if it does not tell.
  std::optional<uint64_t> device_bytes;
  // Of all threads, by RocksDB's statistics and by its counts of each level.
  FilterAnswers answers;
  FilterAnswersByLevel answers_by_level;
  std::vector<RoundTimes> rounds;
  LatencyHistogram latencies;

  // Over the rounds.
  Spread LatencySpread(double Latency::*number) const;
  Spread LookupsPerSecond() const;

  uint64_t all_block_reads() const {
    return data_block_reads + index_block_reads + filter_block_reads;
  }
  double reads_per_lookup() const {
    return static_cast<double>(data_block_reads) / static_cast<double>(lookups);
  }
  // 95 % of reads_per_lookup, each read taken for an event of its own.
  Interval reads_interval() const;
};

// What to look up, and how.
struct LookupList {
  const KeyList* keys;  // not null
  // Where not 0, a lookup is a scan of the row that so many bytes of the key
  // are, instead of a Get. It is found if the row has a cell.
  size_t scanned_row_bytes = 0;
  // Which of the keys: [begin, end).
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
};

// Does all `lookups`, at least one, in `db`, spread over `threads`, after some
// of them that don't count. `db` was opened by OpenForMeasuring; with
// `drop_pages` its SSTables, in `folder`, are taken out of the page cache
// before and all along. Adds what it counted to `measured`, as one round more.
// Cancelled after a signal; any other error is one of reading.
absl::Status MeasureRound(rocksdb::DB* db, const std::filesystem::path& folder,
                          const LookupList& lookups, uint32_t threads,
                          bool drop_pages, Progress* progress,
                          Measurement* measured);

}  // namespace linebloom::tools
