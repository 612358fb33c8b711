// Random hashes for tests; the same on every machine for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "filter_policy/filter/hash_list.h"

namespace linebloom {

inline std::vector<uint64_t> RandomHashes(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = random();
  return hashes;
}

inline HashList ListOf(const std::vector<uint64_t>& hashes) {
  HashList list;
  for (const uint64_t hash : hashes) list.Add(hash);
  return list;
}

}  // namespace linebloom
