// The hash of a key.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace linebloom {

// HashKey of a key of any length.
uint64_t HashLongKey(const char* key, size_t size, uint64_t seed);

// XXH3 is stable from xxHash 0.8.0 on, so it may be stored on disk; absl::Hash
// differs from process to process. Short keys are hashed in place, and
// the code for long ones, which needs many registers, stays out of the way.
inline uint64_t HashKey(const char* key, size_t size, uint64_t seed) {
  if (size > 16) return HashLongKey(key, size, seed);
  return XXH3_64bits_withSeed(key, size, seed);
}

}  // namespace linebloom
