// The hash of a key.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace linebloom {

// XXH3 is stable from xxHash 0.8.0 on, so it may be stored on disk; absl::Hash
// differs from process to process.
inline uint64_t HashKey(const char* key, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(key, size, seed);
}

}  // namespace linebloom
