// One filter of the soak: drawn, built, and asked for all of its keys.
#pragma once

#include <cstdint>
#include <string>

namespace linebloom {

struct SoakResult {
  uint64_t keys = 0;
  uint64_t missing_asked = 0;
  uint64_t missing_rejected = 0;
  std::string problem;  // empty: no key was denied
};

// Draws the filter that belongs to (seed, number): from `most_keys` keys down
// to none, either kind of line, bits per key or a rate, a hash seed or none,
// keys of one form. Builds it with the kernel whose turn it is, or as RocksDB
// would, and asks for each key, alone and in batches, with every kernel of this
// CPU and as RocksDB would. The same filter for the same arguments.
// Thread-safe.
SoakResult SoakFilter(uint64_t seed, uint64_t number, uint64_t most_keys);

}  // namespace linebloom
