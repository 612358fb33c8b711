// Lists of keys, and which of them are looked up.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
  // How many keys, from this number on, one MultiGet looks up; null: a Get
  // each.
  std::function<uint64_t(uint64_t)> together = nullptr;
};

// Keys in memory, back to back, with 8 bytes of overhead each.
class KeyList {
 public:
  void Add(absl::string_view key);
  // The last `size` keys belong together, if they are more than one.
  void EndBatch(uint64_t size);
  // How many keys are together from the `i`-th on.
  uint64_t Together(uint64_t i) const;
  uint64_t size() const { return ends_.size(); }
  absl::string_view operator[](uint64_t i) const;

 private:
  std::string bytes_;
  std::vector<uint64_t> ends_;
  std::map<uint64_t, uint64_t> batches_;  // ends of batches to their begins
};

Keys KeysOf(KeyList list);

// Those of `keys`, which must live on, from `begin` to before `end`.
Keys PartOf(const KeyList& keys, uint64_t begin, uint64_t end);

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
KeyList SortedAndUnique(
    const KeyList& keys,
    const rocksdb::Comparator& comparator = *rocksdb::BytewiseComparator());

struct HeldOut {
  KeyList rows;     // to load
  KeyList missing;  // to look up as missing, between the first and last row
};

// Holds out every `nth` (at least 2) of the `sorted` keys.
HeldOut HoldOut(const KeyList& sorted, uint64_t nth);

// How lookups of missing keys are spread over the key space, as in --skew.
// Places are shares of it: a place of 0.2 has a fifth of all missing keys below
// it.
class Skew {
 public:
  // A range of neighbouring keys, all equally likely to be looked up.
  struct Stretch {
    double begin;
    double end;
    double lookups;  // share of all lookups
  };

  // Parses "" (uniform), "80/20" (80 % of the lookups fall into a range of 20 %
  // of the key space) or "zipf:0.99" (1,000 equal ranges of Zipf's popularity
  // i^-0.99, i from 1, in random order). `seed` decides where ranges lie.
  // InvalidArgument, with what is possible, for anything else.
  static absl::StatusOr<Skew> Parse(absl::string_view text, uint64_t seed);

  Skew() = default;  // uniform
  // `stretches` as stretches() has them.
  Skew(std::vector<Stretch> stretches, std::string words);

  bool is_uniform() const { return words_.empty(); }

  // In the order of keys, from 0 to 1 without gaps.
  const std::vector<Stretch>& stretches() const { return stretches_; }

  // The stretch in which a lookup falls, for a uniform `random` from 0 to below
  // 1.
  size_t Draw(double random) const;

  // The share of the lookups that fall between two places.
  double LookupsBetween(double begin, double end) const;

  // Lookups of the most popular keys, relative to the average key's.
  double Peak() const;

  // For example "80 % of them in the 20 % of the key space from 12.3 to 32.3
  // %"; "" if uniform.
  const std::string& InWords() const { return words_; }

 private:
  std::vector<Stretch> stretches_ = {{0, 1, 1}};
  std::vector<double> ends_ = {1};  // sums of the stretches' lookups
  std::string words_;
};

// The share `hit_ratio` of lookups is for `existing` keys, evenly spread, and
// the rest for `missing` ones, which must be in order if `skew` isn't uniform.
struct LookupMix {
  Keys existing;
  Keys missing;
  Skew skew;
  double hit_ratio = 0;
  uint64_t seed = 0;
};

// Draws `count` lookups in an order that follows from the seed. No key occurs
// twice, which would make a rate seem more certain than it is; if keys run out,
// there are fewer lookups in the same ratio.
struct Lookups {
  KeyList keys;
  uint64_t existing = 0;  // how many of them are from `existing`
};
Lookups ChooseLookups(const LookupMix& mix, uint64_t count);

// The same for any `count`, since keys may occur several times; `skew` is that
// of existing keys too, which must be in order.
Keys RepeatedLookups(const LookupMix& mix, uint64_t count);

// The share of lookups of missing keys, which are in the order of `comparator`,
// that fall between two keys.
double LookupsBetween(const LookupMix& mix,
                      const rocksdb::Comparator& comparator,
                      absl::string_view smallest, absl::string_view largest);

}  // namespace linebloom::tools
