// One filter of the soak: drawn at random, built, and probed for all of its
// keys.
#pragma once

#include <cstdint>
#include <string>

namespace linebloom {

struct SoakResult {
  uint64_t keys = 0;
  uint64_t missing_probed = 0;
  uint64_t missing_rejected = 0;
  std::string problem;  // empty: no key was denied
};

// Draws the filter for (seed, number): up to `most_keys` keys, either kind of
// line, bits per key or a rate, with or without a hash seed, and keys of one
// form. Builds it with the kernel whose turn it is, or as RocksDB would, and
// probes for each key, singly and in batches, with every kernel of this CPU and
// as RocksDB would. The same arguments give the same filter. Thread-safe.
SoakResult SoakFilter(uint64_t seed, uint64_t number, uint64_t most_keys);

}  // namespace linebloom
