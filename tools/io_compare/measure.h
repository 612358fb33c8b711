// Looking keys up, and counting what it cost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "absl/status/statusor.h"
#include "linebloom/observed_rate.h"
#include "rocksdb/db.h"
#include "tools/command_line/progress.h"
#include "tools/io_compare/rows/keys.h"

namespace linebloom::tools {

struct Latency {  // of one lookup, in microseconds
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
};

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
  Latency latency;
  double lookups_per_second = 0;  // of all threads together

  uint64_t all_block_reads() const {
    return data_block_reads + index_block_reads + filter_block_reads;
  }
  double reads_per_lookup() const {
    return static_cast<double>(data_block_reads) / static_cast<double>(lookups);
  }
};

// What to look up, and how.
struct LookupList {
  const KeyList* keys;  // not null
  // Where not 0, a lookup is a scan of the row that so many bytes of the key
  // are, instead of a Get. It is found if the row has a cell.
  size_t scanned_row_bytes = 0;
};

// Does all `lookups` in `db`, spread over `threads`, after some of them that
// don't count. `db` was opened by OpenForMeasuring; with `drop_pages` its
// SSTables, in `folder`, are taken out of the page cache before and all along.
// Cancelled after a signal; any other error is one of reading.
absl::StatusOr<Measurement> MeasureLookups(rocksdb::DB* db,
                                           const std::filesystem::path& folder,
                                           const LookupList& lookups,
                                           uint32_t threads, bool drop_pages,
                                           Progress* progress);

// Of `nanoseconds` per lookup, which it reorders; not empty.
Latency SummarizeLatency(std::vector<uint32_t>* nanoseconds);

}  // namespace linebloom::tools
