// Lists of keys, and which of them are looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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

struct Key {
  std::string text;
  bool exists = false;  // there is a row
  size_t family = 0;    // the column family's number
};

// Keys by number. May be read from many threads.
struct Keys {
  uint64_t size = 0;
  std::function<Key(uint64_t)> at;  // takes numbers below `size`
};

using KeyList = std::vector<Key>;

Keys KeysOf(KeyList list);

inline constexpr uint64_t kNumberedKeyBytes = 16;

// Generated keys, "user" plus a number of 12 digits, `stride` apart (at least
// 2), so that other keys fit between any two of them.
Keys NumberedKeys(uint64_t rows, uint64_t stride);

// The keys between those of NumberedKeys, in order.
Keys KeysBetween(uint64_t rows, uint64_t stride);

// The share `hit_ratio` of lookups is for `existing` keys and the rest for
// `missing` ones.
struct LookupMix {
  Keys existing;
  Keys missing;
  double hit_ratio = 0;
  uint64_t seed = 0;
};

// Draws `count` lookups in an order that follows from the seed, evenly spread.
// No key occurs twice, which would make a rate seem more certain than it is; if
// keys run out, there are fewer lookups in the same ratio.
Keys DistinctLookups(const LookupMix& mix, uint64_t count);

// All keys are equally likely each time, so that some occur several times.
Keys RepeatedLookups(const LookupMix& mix, uint64_t count);

}  // namespace linebloom::tools
