// Lists of keys, and which of them are looked up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/comparator.h"

namespace linebloom::tools {

// Pseudo-random numbers for test data: the finalizer of splitmix64. Each bit of
// the result depends on all bits of `x`.
constexpr uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A number for each pair.
constexpr uint64_t Mix(uint64_t a, uint64_t b) { return Mix(Mix(a) ^ b); }

// Keys by number. May be read from many threads.
struct Keys {
  uint64_t size = 0;
  uint64_t bytes = 0;                       // of all keys together
  std::function<std::string(uint64_t)> at;  // takes numbers below `size`
};

using KeyList = std::vector<std::string>;

Keys KeysOf(KeyList list);

// Generated keys of 16 bytes, "user" plus a number of 12 digits, `stride` apart
// (at least 2), so that other keys fit between any two of them.
Keys NumberedKeys(uint64_t rows, uint64_t stride);

// The keys between those of NumberedKeys, in order.
Keys KeysBetween(uint64_t rows, uint64_t stride);

// Reads a file with one key per line, ended by \n or \r\n; ignores empty ones.
// Errors name `flag` and path; InvalidArgument if there are no keys.
absl::StatusOr<KeyList> ReadKeyFile(absl::string_view flag,
                                    const std::string& path);

// The distinct keys in the order of `comparator`.
KeyList SortedAndUnique(KeyList keys, const rocksdb::Comparator& comparator =
                                          *rocksdb::BytewiseComparator());

// How lookups are spread over the key space: in ranges of equally many keys,
// whose keys are equally popular.
class Popularity {
 public:
  Popularity() = default;  // one range: evenly

  // 1,000 ranges in random order, the i-th most popular of which gets a share
  // proportional to i^-exponent.
  Popularity(double zipf_exponent, uint64_t seed);

  size_t ranges() const { return ends_.size(); }

  // The first of `keys` keys in a range; that of ranges() is `keys`.
  uint64_t Begin(size_t range, uint64_t keys) const;

  // The range in which a lookup falls, for a uniform `random` from 0 to below
  // 1.
  size_t Draw(double random) const;

  // Lookups of the most popular keys, relative to the average key's.
  double peak = 1;

 private:
  std::vector<double> ends_ = {1};  // sums of the ranges' shares of lookups
};

// The share `hit_ratio` of lookups is for `existing` keys and the rest for
// `missing` ones. Both must be in order if some keys are more popular.
struct LookupMix {
  Keys existing;
  Keys missing;
  Popularity popularity;
  double hit_ratio = 0;
  uint64_t seed = 0;
};

// Draws `count` lookups in an order that follows from the seed, evenly spread.
// No key occurs twice, which would make a rate seem more certain than it is; if
// keys run out, there are fewer lookups in the same ratio.
Keys DistinctLookups(const LookupMix& mix, uint64_t count);

// By their popularity, so that keys may occur several times.
Keys RepeatedLookups(const LookupMix& mix, uint64_t count);

}  // namespace linebloom::tools
