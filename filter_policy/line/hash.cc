#include "filter_policy/line/hash.h"

namespace linebloom {

uint64_t HashLongKey(const char* key, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(key, size, seed);
}

}  // namespace linebloom
