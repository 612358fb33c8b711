#include "filter_policy/policy/random_seed.h"

#include <sys/random.h>
#include <unistd.h>

namespace linebloom {

// Not std::random_device, which throws if there is no entropy; RocksDB's
// background threads catch nothing.
std::optional<uint64_t> DrawHashSeed() {
  uint64_t seed = 0;
  while (seed == 0) {
    if (getentropy(&seed, sizeof(seed)) != 0) return std::nullopt;
  }
  return seed;
}

}  // namespace linebloom
