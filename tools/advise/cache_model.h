// Predicts which blocks an LRU cache holds, from how often each is asked for.
#pragma once

#include <array>
#include <map>

namespace linebloom::tools {

// Blocks that are alike.
struct CachedBlocks {
  double count;
  double bytes;  // of each, as the cache charges it
  double rate;   // how often each is asked for, per lookup
  // RocksDB's Cache::Priority::HIGH: filters and indexes, by default.
  bool high_priority;
};

// Che's approximation (Che, Tung, Wang: Hierarchical Web Caching Systems, JSAC
// 2002; why it holds: Fricker, Robert, Roberts, ITC 2012): a block that is
// asked for at the rate r is in an LRU cache with probability 1 - exp(-r T),
// where T, how many lookups a block stays without being asked for, is such that
// the blocks that are there fill the cache.
//
// RocksDB's LRUCache has two segments, which makes it two times (like the
// filters of k-LRU in Martina, Garetto, Leonardi, INFOCOM 2014). Blocks of high
// priority, and all that were found at least once, begin at the head of
// `high_share` of the cache, LRUCacheOptions::high_pri_pool_ratio, stay there
// for the first of the times and then in the rest for the second one. All
// others begin in the rest.
//
// It assumes independent lookups and many blocks, one shard. It breaks for
// HyperClockCache (no LRU: expect a little more reads), for scans that fill the
// cache, for requests that come in bursts, where a few blocks fill a shard, and
// for what else is charged to the cache.
class CacheModel {
 public:
  static constexpr double kDefaultHighShare = 0.5;  // RocksDB's

  // Adds blocks. Those larger than the cache are never in it.
  void Add(const CachedBlocks& blocks);

  // Computes the times for a cache of `capacity` bytes, from which MissRatio()
  // follows.
  void Solve(double capacity, double high_share = kDefaultHighShare);

  // The share of the requests for a block of this rate that read it.
  double MissRatio(double rate, bool high_priority) const;

 private:
  // The bytes of blocks, by the logarithm of their rate in steps of 5 %.
  struct Bytes {
    double rate;  // the mean, by bytes
    double bytes;
  };
  using ByRate = std::map<int, Bytes>;

  double Filled(double high_time, double low_time, bool high_segment) const;
  double HighTimeFor(double bytes, double low_time) const;

  std::array<ByRate, 2> blocks_;  // of low and of high priority
  double total_ = 0;
  // In lookups; infinite if everything fits.
  double high_time_ = 0;
  double low_time_ = 0;
};

}  // namespace linebloom::tools
