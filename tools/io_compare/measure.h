// Looks up keys and counts what it costs.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "linebloom/observed_rate.h"
#include "rocksdb/db.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/shared/numbers.h"
#include "tools/shared/progress.h"

namespace linebloom::tools {

struct Latency {  // of one lookup, in microseconds
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
};

// Summarizes `nanoseconds` per lookup, which must not be empty. Reorders them.
Latency SummarizeLatency(std::vector<uint32_t>* nanoseconds);

// Counts times in classes that are 4.4 % wide: fine enough for a picture, and
// independent of the number of lookups.
class LatencyHistogram {
 public:
  void Add(const std::vector<uint32_t>& nanoseconds);

  // Pairs of microseconds and the share of lookups, above 0, that took longer,
  // starting with the fastest lookup. Empty if there are no lookups.
  std::vector<std::pair<double, double>> SlowerThan() const;

 private:
  static constexpr int kClassesPerDoubling = 16;

  std::array<uint64_t, 32 * kClassesPerDoubling> counts_ = {};
};

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

// The keys to look up.
struct LookupList {
  const KeyList* keys;  // not null
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
