// What lookups ask of SSTables, over a window that forgets.
#pragma once

#include <atomic>
#include <cstdint>

#include "rocksdb/statistics.h"

namespace linebloom {

struct Lookups {
  double all = 0;   // that the memtable and the row cache don't answer
  double hits = 0;  // of these; a deletion is one too
  // Data blocks that hits, and false positives of filters, asked for.
  double data_blocks_of_lookups = 0;
  double data_blocks = 0;  // found in the cache or put into it, by anybody

  // Of scans, and of lookups in files without a filter.
  double other_data_blocks() const;

  void Add(const Lookups& more, double times = 1);
};

// What filters answer to a sample of the probes, one in kProbesPerSample.
// Thread-safe. RocksDB's Configurable finds a policy's by kAnswerSample.
inline constexpr int kProbesPerSample = 128;
inline constexpr char kAnswerSample[] = "linebloom.answers";
struct AnswerSample {
  std::atomic<uint64_t> probes = 0;
  std::atomic<uint64_t> positives = 0;
};

// Since the statistics began. All 0 where they count nothing.
Lookups LookupsOf(const rocksdb::Statistics& statistics);

// Not thread-safe.
class LookupWindow {
 public:
  // `now` are the counters. One that fell was reset, and counts from 0.
  void Sample(const Lookups& now);

  const Lookups& recent() const { return recent_; }

 private:
  Lookups last_;
  Lookups recent_;
};

}  // namespace linebloom
