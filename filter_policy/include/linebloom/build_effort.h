// How hard a filter's builder searches.
#pragma once

#include <cstdint>

namespace linebloom {

// How long the builder searches for the seeds of a line. More search means
// fewer false positives from the same memory and a slower build; lookups cost
// the same. A reader needs no setting: it reads files built with any effort.
// The values are stored in every filter (docs/format.md).
enum class BuildEffort : uint8_t {
  // No search: a plain blocked Bloom filter with about RocksDB's own rate.
  kNone = 0,
  // The shortest search that is worth its time.
  kFast = 1,
  // The default.
  kBalanced = 2,
  // For files that are written once and read for a long time.
  kMax = 3,
};

}  // namespace linebloom
