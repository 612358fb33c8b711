// Predicts which blocks an LRU cache holds, from how often each is requested.
#pragma once

#include <vector>

namespace linebloom {

// Che's approximation (Che, Tung, Wang: Hierarchical Web Caching Systems, JSAC
// 2002; why it holds: Fricker, Robert, Roberts, ITC 2012): a block that is
// requested at the rate r is in an LRU cache with probability 1 - exp(-r T),
// where T, how many lookups a block stays without a request, is such that the
// blocks in the cache fill it.
//
// RocksDB's LRUCache has two segments, which makes it two times (like the
// filters of k-LRU in Martina, Garetto, Leonardi, INFOCOM 2014). Blocks of high
// priority, and all that were found at least once, begin at the head of
// `high_share` of the cache, LRUCacheOptions::high_pri_pool_ratio, stay there
// for the first of the times and then in the rest for the second one. All
// others begin in the rest.
//
// It assumes independent lookups and many blocks. It breaks for
// HyperClockCache (no LRU: expect a little more reads), for scans that fill the
// cache, for requests that come in bursts, where a few blocks fill a shard, and
// for what else is charged to the cache.
class CacheModel {
 public:
  // Forgets all blocks, but not the times, from which the next Solve() starts.
  void Clear();

  // Adds blocks of `bytes` together, each requested `rate` times per lookup.
  // Priority is rocksdb::Cache::Priority::HIGH or a lower one. A Solve() takes
  // time for each Add(): callers add alike blocks together.
  void Add(double bytes, double rate, bool high_priority);

  // Finds the times for a cache of `capacity` bytes, from which MissRatio()
  // follows. `high_share` is from 0 to 1.
  void Solve(double capacity, double high_share);

  // The share of the requests for a block of this rate that read it, 0 to 1.
  double MissRatio(double rate, bool high_priority) const;

 private:
  struct Blocks {
    double bytes;
    double rate;
    bool high_priority;
    double gone = 1;  // share that isn't requested within the second time
  };

  double Filled(double high_time, bool high_segment) const;

  std::vector<Blocks> blocks_;
  double total_ = 0;
  bool all_fits_ = true;
  // In lookups.
  double high_time_ = 1e3;
  double low_time_ = 1e3;
};

}  // namespace linebloom
