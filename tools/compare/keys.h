// The keys that are looked up.
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
  size_t family = 0;  // the column family's number
  bool exists = true;
};

// Keys of rows by number, and others. May be read from many threads.
struct Keys {
  uint64_t size = 0;
  // The key of a row, whose number is below `size`. With a `gap` other than 0 a
  // missing one that follows directly on it, another for each up to kMaxGap.
  std::function<Key(uint64_t row, uint64_t gap)> at;
};
inline constexpr uint64_t kMaxGap = 999;

// Generated keys of 16 bytes, in order. At most 1G.
Keys NumberedKeys(uint64_t rows);
Keys KeysOf(std::vector<Key> list);

// The share `hit_ratio` of lookups is for keys of rows, each as likely as any
// other.
struct LookupMix {
  Keys keys;
  double hit_ratio = 0;
  uint64_t seed = 0;
};

// The key to look up as number `i`. Missing ones are within the range of every
// file that has the row next to them, and few occur twice: that would make a
// rate seem more certain than it is, and find the data of a false positive in
// the cache.
Key LookupAt(const LookupMix& mix, uint64_t i);

}  // namespace linebloom::tools
