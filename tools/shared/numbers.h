// Computes how certain a measured rate is; bisection; cheap pseudo-random
// numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"

namespace linebloom::tools {

struct Interval {
  double low;
  double high;
};

// The 95 % Wilson score interval of a probability, which is right for rates
// near 0 too. [0, 1] without trials.
Interval WilsonInterval(uint64_t successes, uint64_t trials);

// The same of an expected number of rare, independent events, after `count`
// were seen: with unlimited trials.
Interval PoissonInterval(uint64_t count);

// The largest number in [low, high] that `fits`; nothing if `low` doesn't. If a
// number fits, so do all smaller ones.
std::optional<uint64_t> LargestThat(uint64_t low, uint64_t high,
                                    absl::FunctionRef<bool(uint64_t)> fits);

// Pseudo-random numbers for test data: the finalizer of splitmix64. Each bit of
// the result depends on all bits of `x`.
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
