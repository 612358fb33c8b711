// The hash of a key.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace linebloom {

// XXH3 is stable from xxHash 0.8.0 on, so it may be stored on disk; absl::Hash
// differs from process to process. Short keys are hashed in place; the code for
// long ones, which needs many registers, stays out of the way.
inline constexpr size_t kShortKey = 16;

// HashKey of a key of at most kShortKey bytes.
inline uint64_t HashShortKey(const char* key, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(key, size, seed);
}

// HashKey of a key of any length.
uint64_t HashLongKey(const char* key, size_t size, uint64_t seed);

inline uint64_t HashKey(const char* key, size_t size, uint64_t seed) {
  return size <= kShortKey ? HashShortKey(key, size, seed)
                           : HashLongKey(key, size, seed);
}

}  // namespace linebloom
