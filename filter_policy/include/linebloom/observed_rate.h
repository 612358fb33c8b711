// Measures how good filters are in practice: the false-positive rate that
// lookups met.
//
//   const linebloom::FilterStats before =
//       linebloom::GetFilterStats(*options.statistics);
//   ...  // lookups, of any threads
//   const linebloom::FilterStats stats =
//       linebloom::GetFilterStats(*options.statistics) - before;
//   puts(linebloom::ToString(stats).c_str());
//   // 0.454 % false positives: 1362 of 300000 probes of files without the key
//
// This reads RocksDB's counters, so it works for every filter policy.
// docs/production.md, "What to watch", explains the figures.
//
// Needs only C++17 and RocksDB's public headers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "linebloom/export.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/statistics.h"

namespace linebloom {

// The answers of filters to Get and MultiGet: one for each file that a lookup
// came to, so up to one per sorted run and lookup.
struct FilterStats {
  uint64_t negatives = 0;  // the file was skipped
  uint64_t positives = 0;  // the file was searched ...
  // ... and had the key, possibly as a deletion.
  uint64_t true_positives = 0;

  // Files searched in vain. (While lookups continue, the counts are not from
  // exactly the same moment.)
  uint64_t false_positives() const {
    return positives > true_positives ? positives - true_positives : 0;
  }

  // Probes of files without the key, which a filter can avoid.
  uint64_t probes_without_key() const { return negatives + false_positives(); }

  // The share of these that the filter let pass; nothing if there were none.
  // This is not (positives - true_positives) / positives, the share of searches
  // in vain, which depends on how many of the keys exist.
  std::optional<double> false_positive_rate() const {
    if (probes_without_key() == 0) return std::nullopt;
    return static_cast<double>(false_positives()) /
           static_cast<double>(probes_without_key());
  }

  FilterStats& operator+=(const FilterStats& other) {
    negatives += other.negatives;
    positives += other.positives;
    true_positives += other.true_positives;
    return *this;
  }

  friend bool operator==(const FilterStats& a, const FilterStats& b) {
    return a.negatives == b.negatives && a.positives == b.positives &&
           a.true_positives == b.true_positives;
  }
  friend bool operator!=(const FilterStats& a, const FilterStats& b) {
    return !(a == b);
  }
};

// The answers between two readings. If a count decreased, RocksDB's counters
// were reset in between, and all of `after` is newer than that.
LINEBLOOM_EXPORT FilterStats operator-(const FilterStats& after,
                                       const FilterStats& before);

// The same by level; only levels that were probed.
struct FilterStatsByLevel {
  std::map<int, FilterStats> levels;

  LINEBLOOM_EXPORT FilterStats all() const;
  LINEBLOOM_EXPORT FilterStatsByLevel& operator+=(
      const FilterStatsByLevel& other);
};

LINEBLOOM_EXPORT FilterStatsByLevel operator-(const FilterStatsByLevel& after,
                                              const FilterStatsByLevel& before);

// The answers since `statistics` were created or reset, of all threads and all
// databases that share them. Thread-safe. Counts whole keys, and prefixes if
// the filters contain nothing else, but not scans. Before RocksDB 8.3 it
// doesn't count MultiGets that probe prefixes, which share their counters with
// scans.
LINEBLOOM_EXPORT FilterStats
GetFilterStats(const rocksdb::Statistics& statistics);

// The answers by level that a thread has counted. For the calling thread, pass
// `*rocksdb::get_perf_context()`; another thread's only while it does no
// lookups. Levels without answers are absent. A file counts for the level in
// which it was opened, so a file that RocksDB moved without rewriting may count
// for its old level.
LINEBLOOM_EXPORT FilterStatsByLevel
GetFilterStats(const rocksdb::PerfContext& thread);

// During its lifetime, RocksDB counts by level in the thread that created it,
// which must also destroy it. Counts continue from earlier ones; take the
// difference of two readings. The thread's perf level is at least kEnableCount.
// Nested ones count once, and the outermost restores what was before.
class CountByLevel {
 public:
  LINEBLOOM_EXPORT CountByLevel();
  LINEBLOOM_EXPORT ~CountByLevel();
  CountByLevel(const CountByLevel&) = delete;
  CountByLevel& operator=(const CountByLevel&) = delete;

 private:
  rocksdb::PerfLevel level_before_;
  bool counted_before_;
};

// A line for a log, without a line end: the rate, its counts, and the
// expected rate, from 0 to 1, if the caller knows it.
LINEBLOOM_EXPORT std::string ToString(
    const FilterStats& stats,
    std::optional<double> predicted_rate = std::nullopt);

}  // namespace linebloom
