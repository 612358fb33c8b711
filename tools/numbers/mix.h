// Cheap pseudo-random numbers from a seed, for test data. Not for filters,
// which hash with XXH3.
#pragma once

#include <cstdint>

namespace linebloom::tools {

// The finalizer of splitmix64: each bit of the result depends on all bits of
// `x`.
constexpr uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A number for each pair.
constexpr uint64_t Mix(uint64_t a, uint64_t b) { return Mix(Mix(a) ^ b); }

// A uniform number from 0 to below 1.
constexpr double MixedShare(uint64_t mixed) {
  return static_cast<double>(mixed >> 11) / 0x1p53;
}

}  // namespace linebloom::tools
