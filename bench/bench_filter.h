// Filters of random 16-byte keys to measure, of any policy.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "rocksdb/cache.h"

namespace linebloom {

using BenchKey = std::array<char, 16>;

inline rocksdb::Slice SliceOf(const BenchKey& key) {
  return {key.data(), key.size()};
}

// Key `number` of one endless sequence of different keys.
inline BenchKey KeyOf(uint64_t number) {
  const uint64_t parts[2] = {number * 0x9e3779b97f4a7c15, number};
  BenchKey key;
  std::memcpy(key.data(), parts, sizeof(parts));
  return key;
}

// Beyond the keys of any filter.
inline constexpr uint64_t kFirstStranger = uint64_t{1} << 60;

// rocksdb-bloom, rocksdb-ribbon, linebloom-plain and linebloom.
const std::vector<std::string>& BenchPolicyNames();

// How many cache lines a lookup of a missing key touches, in a filter of that
// policy that begins with one.
double CacheLinesOf(const std::string& policy);

// A policy of that name or a contestant's. Ribbon gets the bits that give
// Bloom's rate, a contestant has bits of its own.
class BenchPolicy {
 public:
  BenchPolicy(const std::string& name, double bits_per_key);

  // The filter of keys `first` to `first + count - 1` of that sequence.
  std::string Build(uint64_t first, size_t count) const;
  std::unique_ptr<rocksdb::FilterBitsReader> NewReader(
      const rocksdb::Slice& block) const;

 private:
  std::unique_ptr<const rocksdb::FilterPolicy> policy_;
};

// How far past a multiple of 64 bytes the filters begin.
enum class Alignment : size_t {
  kLines = 0,     // as NewLineAlignedAllocator() gives them
  kDefault = 16,  // as malloc gives large ones
};

// Finished filters and readers over them.
class BenchFilters {
 public:
  BenchFilters(const std::string& policy, double bits_per_key, size_t filters,
               size_t keys_per_filter, Alignment alignment);

  size_t size() const { return readers_.size(); }
  size_t keys_per_filter() const { return keys_per_filter_; }
  rocksdb::FilterBitsReader* reader(size_t i) const {
    return readers_[i].get();
  }
  double bits_per_key() const;

  // Measured with a million keys of none of the filters.
  double false_positive_rate() const;

 private:
  BenchPolicy policy_;
  size_t keys_per_filter_;
  std::vector<std::unique_ptr<char[]>> buffers_;
  size_t total_bytes_ = 0;
  std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers_;
};

struct Question {
  rocksdb::FilterBitsReader* reader;
  BenchKey key;
};

// An endless run of questions in random order. Made as they are asked, which
// takes a nanosecond or two (the benchmark `dry` tells): with a stored list the
// CPU learns which of its keys match, and it takes the filter's cache.
class Questions {
 public:
  // With `hits`, keys that are in the filter they are asked of.
  Questions(const BenchFilters& filters, bool hits, int seed)
      : filters_(filters),
        hits_(hits),
        counter_(static_cast<uint64_t>(seed) << 48) {}

  Question Next() {
    const uint64_t filter = RandomBelow(filters_.size());
    if (!hits_) {
      return {filters_.reader(filter), KeyOf(kFirstStranger + counter_)};
    }
    return {filters_.reader(filter),
            KeyOf(filter * filters_.keys_per_filter() +
                  RandomBelow(filters_.keys_per_filter()))};
  }

 private:
  uint64_t RandomBelow(uint64_t bound) {
    uint64_t mixed = ++counter_ * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 31)) * 0x94d049bb133111eb;
    return static_cast<uint64_t>(
        (static_cast<unsigned __int128>(mixed) * bound) >> 64);
  }

  const BenchFilters& filters_;
  const bool hits_;
  uint64_t counter_;
};

}  // namespace linebloom
