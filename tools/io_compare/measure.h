// Looks up keys and counts what it costs.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "linebloom/observed_rate.h"
#include "rocksdb/db.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/shared/numbers.h"
#include "tools/shared/progress.h"

namespace linebloom::tools {

// The times of one round: of one lookup, in microseconds.
struct RoundTimes {
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
  double lookups_per_second = 0;  // of all threads together
};

// Summarizes `nanoseconds` per lookup, which must not be empty. Reorders them.
RoundTimes SummarizeLatency(std::vector<uint32_t>* nanoseconds);

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

// What one thread counts, and sums of it.
struct LookupCounts {
  uint64_t found = 0;
  // The blocks that RocksDB read from files, and their bytes.
  uint64_t data_block_reads = 0;
  uint64_t index_block_reads = 0;
  uint64_t filter_block_reads = 0;
  uint64_t block_bytes = 0;
  FilterAnswersByLevel answers_by_level;

  void Add(const LookupCounts& more);
};

// Sums over all rounds, and the times of each.
struct Measurement : LookupCounts {
  uint64_t lookups = 0;
  // Bytes that the kernel fetched meanwhile; nothing if it doesn't report it.
  std::optional<uint64_t> device_bytes;
  FilterAnswers answers;  // from RocksDB's statistics
  std::vector<RoundTimes> rounds;
  LatencyHistogram latencies;

  Spread OverRounds(double RoundTimes::*number) const;

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

// Looks `key` up, to be found or not.
absl::Status LookUp(rocksdb::DB* db, absl::string_view key,
                    bool* found = nullptr);

// Calls `work` in `threads` threads, each with a part of 0 to `size`; with
// `is_first` in this one. Returns the first error.
absl::Status InThreads(
    uint32_t threads, uint64_t size,
    absl::FunctionRef<absl::Status(uint64_t begin, uint64_t end, bool is_first)>
        work);

// Does all `lookups`, at least one, with `threads` threads, after some that
// don't count. `db` comes from OpenForMeasuring. With `drop_pages`, pages of
// its SSTables in `folder` are dropped from the page cache before and
// meanwhile. Adds another round to `measured`. Cancelled after a signal.
absl::Status MeasureRound(rocksdb::DB* db, const std::filesystem::path& folder,
                          const LookupList& lookups, uint32_t threads,
                          bool drop_pages, Progress* progress,
                          Measurement* measured);

}  // namespace linebloom::tools
