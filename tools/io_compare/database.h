// Builds the database of one policy, opens it, looks up keys and counts what
// that costs.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "linebloom/observed_rate.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/row_source.h"
#include "tools/shared/numbers.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {

// Null for no filter.
using SharedPolicy = std::shared_ptr<const rocksdb::FilterPolicy>;

// Creates a database in `path`, which must not exist, with exactly the files
// that `rows` plans: all that RocksDB would decide on its own is switched off
// or prescribed, because it may depend on the size of the filters.
//
// `warm_up`, if any, is called before the last flush, which shows lookups to
// linebloom's listener; then all files below level 0 are rewritten in place.
absl::Status BuildDatabase(
    const RowSource& rows, const SharedPolicy& policy, const std::string& path,
    Progress* progress,
    const std::function<absl::Status(rocksdb::DB*)>& warm_up = nullptr);

// Looks all of `lookups` up in `db`, with `threads` threads, so that a
// heat-aware policy learns where lookups fall.
absl::Status WarmUp(rocksdb::DB* db, const Keys& lookups, uint32_t threads,
                    Progress* progress);

// Opens the database read-only for measuring, with all files open, their
// filters and indexes in memory, statistics and a block cache of `cache_bytes`.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForMeasuring(
    const RowSource& rows, const SharedPolicy& policy, const std::string& path,
    uint64_t cache_bytes, bool direct_io);

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

// Does all `lookups`, at least one, with `threads` threads, after some that
// don't count. `db` comes from OpenForMeasuring. With `drop_pages`, pages of
// its SSTables in `folder` are dropped from the page cache before and
// meanwhile. Adds another round to `measured`. Cancelled after a signal.
absl::Status MeasureRound(rocksdb::DB* db, const std::filesystem::path& folder,
                          const Keys& lookups, uint32_t threads,
                          bool drop_pages, Progress* progress,
                          Measurement* measured);

}  // namespace linebloom::tools
