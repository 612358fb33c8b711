// What lookups ask of SSTables, over a window that forgets.
#pragma once

#include <atomic>
#include <cstdint>

#include "rocksdb/statistics.h"

namespace linebloom {

struct Lookups {
  double all = 0;   // that the memtable and the row cache don't answer
  double hits = 0;  // of these, at most; a deletion is one too
  double fewest_hits = 0;
  // Data blocks that hits, and false positives of filters, asked for.
  double data_blocks_of_lookups = 0;
  double data_blocks = 0;  // found in the cache or put into it, by anybody

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

// What filters answer to a sample of the probes, one in kProbesPerSample on
// average. Thread-safe.
inline constexpr int kProbesPerSample = 128;
struct AnswerSample {
  std::atomic<uint64_t> probes = 0;
  std::atomic<uint64_t> positives = 0;
};

}  // namespace linebloom
