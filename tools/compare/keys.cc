#include "tools/compare/keys.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"

namespace linebloom::tools {
namespace {

// A uniform number from 0 to below 1.
double MixedShare(uint64_t mixed) { return (mixed >> 11) / 0x1p53; }

Keys Numbered(uint64_t size, bool exist,
              std::function<uint64_t(uint64_t)> number) {
  return {size, [exist, number = std::move(number)](uint64_t i) {
            return Key{absl::StrFormat("user%012d", number(i)), exist};
          }};
}

// Visits each number below `end` once, in a scattered order.
struct ScatteredOrder {
  ScatteredOrder(uint64_t end, uint64_t seed) : size(end), left(end) {
    next = size == 0 ? 0 : Mix(seed) % size;
    // Steps by the golden ratio are far apart. Without a common factor they
    // reach every number before repeating one.
    step = std::max<uint64_t>(1, static_cast<uint64_t>(0.6180339887 * size));
    while (std::gcd(step, size) > 1) ++step;
  }

  // There must be some left.
  uint64_t Next() {
    --left;
    return std::exchange(next, (next + step) % size);
  }

  uint64_t size;
  uint64_t left;
  uint64_t step;
  uint64_t next;
};

Key RepeatedLookup(const LookupMix& mix, uint64_t i) {
  const uint64_t random = Mix(Mix(mix.seed, 5), i);
  const bool exists = MixedShare(random) < mix.hit_ratio;
  const Keys& keys = exists ? mix.existing : mix.missing;
  const auto number =
      static_cast<uint64_t>(MixedShare(Mix(random, 1)) * keys.size);
  return keys.at(std::min(number, keys.size - 1));
}

}  // namespace

Keys KeysOf(KeyList list) {
  const auto shared = std::make_shared<const KeyList>(std::move(list));
  return {shared->size(), [shared](uint64_t i) { return (*shared)[i]; }};
}

Keys NumberedKeys(uint64_t rows, uint64_t stride) {
  return Numbered(rows, true, [stride](uint64_t i) { return i * stride; });
}

Keys KeysBetween(uint64_t rows, uint64_t stride) {
  return Numbered((rows - 1) * (stride - 1), false, [stride](uint64_t i) {
    return i / (stride - 1) * stride + 1 + i % (stride - 1);
  });
}

Keys DistinctLookups(const LookupMix& mix, uint64_t count) {
  // floor(n * ratio) of n lookups are for existing rows.
  const auto hits_of = [&](uint64_t n) {
    return static_cast<uint64_t>(std::floor(n * mix.hit_ratio + 1e-9));
  };
  KeyList chosen;
  ScatteredOrder existing(mix.existing.size, Mix(mix.seed, 1));
  ScatteredOrder missing(mix.missing.size, Mix(mix.seed, 2));
  for (uint64_t i = 0; i < count; ++i) {
    const bool exists = hits_of(i + 1) > hits_of(i);
    ScatteredOrder& order = exists ? existing : missing;
    if (order.left == 0) break;
    chosen.push_back((exists ? mix.existing : mix.missing).at(order.Next()));
  }
  return KeysOf(std::move(chosen));
}

Keys RepeatedLookups(const LookupMix& mix, uint64_t count) {
  return {count, [mix](uint64_t i) { return RepeatedLookup(mix, i); }};
}

}  // namespace linebloom::tools
