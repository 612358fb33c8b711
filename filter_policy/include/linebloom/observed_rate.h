// How good filters turn out to be: the false-positive rate that lookups met.
//
//   const linebloom::FilterAnswers before =
//       linebloom::ReadFilterAnswers(*options.statistics);
//   ...  // lookups, of any threads
//   const linebloom::FilterAnswers answers =
//       linebloom::ReadFilterAnswers(*options.statistics) - before;
//   puts(linebloom::ToString(answers).c_str());
//   // 0.454 % false positives: 1362 of 300000 probes of files without the key
//
// It reads what RocksDB counts, so it works for every filter policy.
// docs/tuning.md says how to read the figures.
//
// Needs C++17 and RocksDB's public headers, nothing else.
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

// What filters answered to Get and MultiGet: one answer for each file that a
// lookup came to, so there are up to as many for a lookup as there are sorted
// runs.
struct FilterAnswers {
  uint64_t negatives = 0;  // the file was left alone
  uint64_t positives = 0;  // the file was searched ...
  // ... and had the key. A deletion of it counts too.
  uint64_t true_positives = 0;

  // Files that were searched in vain. (While lookups go on, the counts are not
  // of quite the same moment.)
  uint64_t false_positives() const {
    return positives > true_positives ? positives - true_positives : 0;
  }

  // Probes of files that do not have the key: those that a filter can save.
  uint64_t probes_without_key() const { return negatives + false_positives(); }

  // The share of them that the filter let pass; nothing where there were none.
  // Not (positives - true_positives) / positives, the share of the searches
  // that were in vain, which depends on how many of the keys exist.
  std::optional<double> false_positive_rate() const {
    if (probes_without_key() == 0) return std::nullopt;
    return static_cast<double>(false_positives()) /
           static_cast<double>(probes_without_key());
  }

  FilterAnswers& operator+=(const FilterAnswers& other) {
    negatives += other.negatives;
    positives += other.positives;
    true_positives += other.true_positives;
    return *this;
  }

  friend bool operator==(const FilterAnswers& a, const FilterAnswers& b) {
    return a.negatives == b.negatives && a.positives == b.positives &&
           a.true_positives == b.true_positives;
  }
  friend bool operator!=(const FilterAnswers& a, const FilterAnswers& b) {
    return !(a == b);
  }
};

// What came between two readings. Where a count went back, RocksDB's counters
// were reset in between, and all of `after` came after that.
LINEBLOOM_EXPORT FilterAnswers operator-(const FilterAnswers& after,
                                         const FilterAnswers& before);

// The same for each level of the tree that was asked.
struct FilterAnswersByLevel {
  std::map<int, FilterAnswers> levels;

  LINEBLOOM_EXPORT FilterAnswers all() const;
  LINEBLOOM_EXPORT FilterAnswersByLevel& operator+=(
      const FilterAnswersByLevel& other);
};

LINEBLOOM_EXPORT FilterAnswersByLevel operator-(
    const FilterAnswersByLevel& after, const FilterAnswersByLevel& before);

// The answers since `statistics` were made or reset, of all threads and all
// databases that share them. Counts whole keys, and prefixes where a table's
// filter holds nothing else; scans are left out. Before RocksDB 8.3, MultiGets
// that ask for prefixes are left out too, since scans share their counters.
LINEBLOOM_EXPORT FilterAnswers
ReadFilterAnswers(const rocksdb::Statistics& statistics);

// The answers by level that a thread has counted, for example
// `*rocksdb::get_perf_context()`, which is the calling thread's. A level that
// answered nothing is not there. A file counts for the level in which it was
// opened, so one that RocksDB moved without rewriting it may count for the
// level that it came from.
LINEBLOOM_EXPORT FilterAnswersByLevel
ReadFilterAnswers(const rocksdb::PerfContext& thread);

// While it lives, RocksDB counts by level in the thread that made it and that
// has to destroy it too. Counts go on from those before; take the difference of
// two readings. The thread's perf level is kEnableCount at least.
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

// A line for a log, without a line end: the rate and what it was counted from,
// and beside it the rate that was expected, where the caller knows it.
LINEBLOOM_EXPORT std::string ToString(
    const FilterAnswers& answers,
    std::optional<double> predicted_rate = std::nullopt);

}  // namespace linebloom
