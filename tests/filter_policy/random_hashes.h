// Random hashes for tests; the same on every machine for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace linebloom {

inline std::vector<uint64_t> RandomHashes(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = random();
  return hashes;
}

}  // namespace linebloom
