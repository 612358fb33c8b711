// What lookups ask of SSTables, over a window that forgets.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "filter_policy/tree/tree_state.h"
#include "rocksdb/statistics.h"

namespace linebloom {

struct Lookups {
  double all = 0;   // that the memtable and the row cache don't answer
  double hits = 0;  // of these, at most; a deletion is one too
  double fewest_hits = 0;
  // Data blocks that hits, and false positives of filters, asked for.
  double data_blocks_of_lookups = 0;
  double data_blocks = 0;      // found in the cache or put into it, by anybody
  double squares_of_gaps = 0;  // between reads of filters

  void Add(const Lookups& more, double times = 1);
};

// Since the statistics began. All 0 where they count nothing.
Lookups LookupsOf(const rocksdb::Statistics& statistics);

// The share of the lookups that hit, as far as known.
struct HitRange {
  double least = 0;
  double most = 1;

  // What n lookups tell of which at least and at most so many hit.
  static HitRange Of(double least, double most, double n);
};

// Not thread-safe.
class LookupWindow {
 public:
  // `now` are the counters, `seconds` the time on any clock. A counter that
  // fell was reset, and counts from 0.
  void Sample(const Lookups& now, double seconds);
  // So many more were looked up until then.
  void Add(const Lookups& more, double seconds);

  // So much of the files was written anew, 0 to 1 or more.
  void Rewrite(double share);

  const Lookups& recent() const { return recent_; }

  // The least and the most share of the recent lookups that hit, seen since the
  // files that live now were written.
  HitRange shares() const;

  // What that says of the load: all, until some lookups were counted.
  HitRange hits() const;

  // When it was sampled last; below 0 if never.
  double last_time() const { return last_time_; }

  // Lookups per second; below 0 if unknown.
  double rate() const;

  // Filters read per lookup, as far as bits save it: one by as many lookups as
  // there are on average from any of them to the next read. A turn of others
  // that empties the cache makes many reads in a row, whatever the bits.
  double filters_read() const;

  // Blocks of scans, and of lookups in files without a filter, per lookup.
  double scanned() const;

 private:
  Lookups last_;
  Lookups recent_;
  HitRange seen_ = {1, 0};  // none yet
  double last_time_ = -1;
  double timed_lookups_ = 0;
  double seconds_ = 0;
};

// Without Statistics what filters answer to a sample of the probes, one in
// kProbesPerSample on average: without it the sweep's cells read 1.33 times as
// much. With them how seldom lookups read filters anew. Thread-safe.
inline constexpr int kProbesPerSample = 128;
struct AnswerSample {
  std::weak_ptr<rocksdb::Statistics> statistics;
  std::weak_ptr<void> cache;
  // Its policy reads another cache's filters, too: counted, 96 blocks for 8.
  std::atomic<bool> is_mixed = false;
  std::atomic<uint64_t> probes = 0;
  std::atomic<uint64_t> positives = 0;

  // About squares of lookups between reads of filters. Now is one if `is_read`.
  double SquaresOfGaps(bool is_read);

 private:
  std::atomic<uint64_t> last_read_ = 0;
  std::atomic<double> squares_ = 0;
  std::atomic<bool> is_counting_ = false;
};

// What a sample of filters' answers tells of the lookups in some trees, of
// which each has lookups by its rows.
class ProbedTrees {
 public:
  void Add(const TreeState& tree);

  // The lookups behind so many probes, of which some were positive. A lookup
  // that misses probes each run, one that hits those down to its row; the
  // positives beyond the expected false ones are hits. Linear, so that sums
  // over times in which the trees were unlike are right: below 0 for too few
  // positives.
  Lookups Behind(double probes, double positives) const;

  // The share of the lookups that hits, if these shares of so many sampled ones
  // did. All from 0 to 1 if filters are missing; from 0 if not every positive
  // is a row that was found.
  HitRange Hits(double sampled, const HitRange& seen) const;

 private:
  // Sums, by which a row counts as often as it is looked up.
  double rows_ = 0;
  double runs_ = 0;
  double rates_ = 0;
  double probes_of_rows_ = 0;
  double unfiltered_ = 0;
  double ambiguous_ = 0;
};

}  // namespace linebloom
