// Which keys are looked up.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "rocksdb/comparator.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/skew.h"

namespace linebloom::tools {

// `lookups` keys to look up: the share `hit_ratio`, evenly spread, from
// `existing`, and the rest from `missing`, which must be in order if `skew`
// isn't uniform. No key occurs twice, because looking it up again would give
// the same answer and make a measured rate seem more certain than it is. `seed`
// determines the order. If there are not enough keys, there are fewer lookups
// in the same ratio.
struct Lookups {
  KeyList keys;
  uint64_t existing = 0;  // how many of them are from `existing`
};
Lookups ChooseLookups(const KeyTable& existing, const KeyTable& missing,
                      uint64_t lookups, double hit_ratio, const Skew& skew,
                      uint64_t seed);

// Lookups drawn like those of ChooseLookups(), but any number of them, since
// keys may occur several times. May be read from many threads.
struct WarmLookups {
  const KeyTable* existing = nullptr;
  const KeyTable* missing = nullptr;
  Skew skew;
  double hit_ratio = 0;
  uint64_t seed = 0;
  uint64_t count = 0;

  // Sets `key` to that of lookup `i`.
  void Get(uint64_t i, std::string* key) const;
};

// The share of lookups of `missing` keys, in the order of `comparator`, that
// fall between two keys.
double LookupsBetween(const KeyTable& missing, const Skew& skew,
                      const rocksdb::Comparator& comparator,
                      absl::string_view smallest, absl::string_view largest);

}  // namespace linebloom::tools
