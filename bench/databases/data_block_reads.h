// Counts the data blocks that a thread's lookups read.
#pragma once

#include <cstdint>

#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"

namespace linebloom {

// Counts for the thread that creates it, while it exists: at most one at a
// time. The tickers of the database would count what compactions read, too.
// Index and filter blocks don't count if they are outside the block cache, as
// by default.
class DataBlockReads {
 public:
  DataBlockReads() {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    rocksdb::get_perf_context()->Reset();
  }
  ~DataBlockReads() { rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable); }
  DataBlockReads(const DataBlockReads&) = delete;
  DataBlockReads& operator=(const DataBlockReads&) = delete;

  // From the disk and from the block cache.
  double count() const {
    return static_cast<double>(
        rocksdb::get_perf_context()->block_read_count +
        rocksdb::get_perf_context()->block_cache_hit_count);
  }
};

}  // namespace linebloom
