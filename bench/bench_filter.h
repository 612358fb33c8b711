// Filters of random keys, built by any policy, for benchmarks.
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

inline constexpr size_t kShortBenchKey = 16;  // bytes
inline constexpr size_t kLongBenchKey = 64;

struct BenchKey {
  size_t size;
  std::array<char, kLongBenchKey> bytes;
};

inline rocksdb::Slice SliceOf(const BenchKey& key) {
  return {key.bytes.data(), key.size};
}

// Key `number` of an endless sequence of distinct keys of one of the two sizes.
inline BenchKey KeyOf(uint64_t number, size_t size) {
  const uint64_t parts[2] = {number * 0x9e3779b97f4a7c15, number};
  BenchKey key;
  key.size = size;
  std::memcpy(key.bytes.data(), parts, sizeof(parts));
  if (size == kLongBenchKey) {
    std::memset(key.bytes.data() + sizeof(parts), '.', size - sizeof(parts));
  }
  return key;
}

// No filter contains keys from here on.
inline constexpr uint64_t kFirstStranger = uint64_t{1} << 60;

// Returns rocksdb-bloom, rocksdb-ribbon, linebloom-plain and linebloom. The
// last two also exist with `-seeded` appended.
const std::vector<std::string>& BenchPolicyNames();

// How many cache lines a lookup of a missing key touches, in a filter of that
// policy that starts at a cache line.
double CacheLinesOf(const std::string& policy);

// A policy or contestant by name. Ribbon gets as many bits as it needs for
// Bloom's rate; contestants choose their own.
class BenchPolicy {
 public:
  BenchPolicy(const std::string& name, double bits_per_key);

  // The filter of the keys `first` to `first + count - 1` of that sequence.
  std::string Build(uint64_t first, size_t count, size_t key_size) const;
  std::unique_ptr<rocksdb::FilterBitsReader> NewReader(
      const rocksdb::Slice& block) const;

 private:
  std::unique_ptr<const rocksdb::FilterPolicy> policy_;
};

// How many bytes after a multiple of 64 the filters start.
enum class Alignment : size_t {
  kLines = 0,     // as from NewLineAlignedAllocator()
  kDefault = 16,  // as malloc places large blocks
};

// Finished filters and their readers.
class BenchFilters {
 public:
  BenchFilters(const std::string& policy, double bits_per_key, size_t filters,
               size_t keys_per_filter, size_t key_size, Alignment alignment);

  size_t size() const { return readers_.size(); }
  size_t keys_per_filter() const { return keys_per_filter_; }
  size_t key_size() const { return key_size_; }
  rocksdb::FilterBitsReader* reader(size_t i) const {
    return readers_[i].get();
  }
  double bits_per_key() const;

  // Measured with a million keys that no filter contains.
  double false_positive_rate() const;

 private:
  BenchPolicy policy_;
  size_t keys_per_filter_;
  size_t key_size_;
  std::vector<std::unique_ptr<char[]>> buffers_;
  size_t total_bytes_ = 0;
  std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers_;
};

struct Question {
  rocksdb::FilterBitsReader* reader;
  BenchKey key;
};

// An endless stream of lookups in random order, generated on the fly in a
// nanosecond or two each (the benchmark `dry` measures that). With a stored
// list, the CPU would learn which of its keys match, and the list would compete
// with the filters for the cache.
class Questions {
 public:
  // With `hits`, each key is in the filter it is looked up in.
  Questions(const BenchFilters& filters, bool hits, int seed)
      : filters_(filters),
        hits_(hits),
        counter_(static_cast<uint64_t>(seed) << 48) {}

  Question Next() {
    const uint64_t filter = RandomBelow(filters_.size());
    if (!hits_) {
      return {filters_.reader(filter),
              KeyOf(kFirstStranger + counter_, filters_.key_size())};
    }
    return {filters_.reader(filter),
            KeyOf(filter * filters_.keys_per_filter() +
                      RandomBelow(filters_.keys_per_filter()),
                  filters_.key_size())};
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
