// The lines that tests build: shapes, and keys that are hard to solve.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line.h"
#include "filter_policy/line/line_builder.h"
#include "filter_policy/line/solved_probes.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {

using LineBytes = std::array<uint8_t, kLineBytes>;

// Probes a single solved line, a filter with a code of 0.
inline bool LineMayMatch(const LineKernel& kernel, const LineShape& shape,
                         const LineBytes& line, uint64_t hash) {
  std::array<uint8_t, kLineBytes + 1> filter = {};
  std::ranges::copy(line, filter.begin());
  return kernel.solved.hash_may_match({filter.data(), 1, shape}, hash);
}

// Builds one solved line and returns its exact false-positive rate. Copies fill
// the kernel's other lanes, for a line alone is left to the scalar kernel.
inline double BuildLine(const LineShape& shape,
                        std::span<const uint64_t> hashes, uint8_t* line,
                        const LineKernel& kernel = ChosenKernel()) {
  LineBuilder builder(shape, kernel);
  builder.Add(hashes, line);
  std::array<LineBytes, kMaxLanes> copies;
  for (int i = 1; i < kernel.lanes; ++i) builder.Add(hashes, copies[i].data());
  return builder.Finish() / kernel.lanes;
}

// The shapes of solved lines in filters with 1 to 30 bits per key, and the
// extreme ones.
inline std::vector<LineShape> AllShapes() {
  std::vector<LineShape> shapes = {
      {LineKind::kSolved, kMinSolvedBase, 1},
      {LineKind::kSolved, kMinSolvedBase, kMaxSolvedStep},
      {LineKind::kSolved, UINT8_MAX, 1},
      {LineKind::kSolved, UINT8_MAX, kMaxSolvedStep}};
  for (int bits_per_key = 1; bits_per_key <= 30; ++bits_per_key) {
    constexpr uint32_t kLines = 1000;
    const LineShape shape =
        SolvedShape(kLines * 8 * kLineBytes / bits_per_key, kLines);
    if (std::ranges::find(shapes, shape) == shapes.end()) {
      shapes.push_back(shape);
    }
  }
  return shapes;
}

// A shape's name in test names and messages.
inline std::string NameOf(const LineShape& shape) {
  return "Solved" + std::to_string(shape.base) + "By" +
         std::to_string(shape.step);
}

struct Crowd {
  const char* name;
  std::vector<uint64_t> hashes;
};

// 1 / odd modulo 2^64. Each step doubles the number of correct bits.
constexpr uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;  // 3 bits
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

inline constexpr uint64_t kHashOfMask = Inverse(kMaskMultiplier);
static_assert(kHashOfMask * kMaskMultiplier == 1);

// Hashes whose products are random in the bits of `free` and equal `fixed`
// elsewhere.
inline std::vector<uint64_t> HashesOfProducts(size_t count, uint64_t fixed,
                                              uint64_t free, uint64_t inverse) {
  std::vector<uint64_t> hashes = RandomHashes(count, count);
  for (uint64_t& hash : hashes) {
    hash = ((hash & free) | (fixed & ~free)) * inverse;
  }
  return hashes;
}

// Sets of `count` keys that repeat or whose equations are similar.
inline std::vector<Crowd> Crowds(size_t count) {
  constexpr uint64_t kFixed = 0x5bd1e995a3c59ac3;
  constexpr uint64_t kNineBits = 0x1ff;
  const std::vector<uint64_t> random = RandomHashes(count, count);
  std::vector<uint64_t> third = random;
  std::fill_n(third.begin(), count / 3, kFixed);
  std::vector<uint64_t> twos = random;
  std::copy_n(twos.begin(), count / 2, twos.begin() + count / 2);
  std::vector<uint64_t> opposites = random;
  for (size_t i = 1; i < count; i += 2) {
    opposites[i] = opposites[i - 1] ^ uint64_t { 1 } << 63;
  }
  std::vector<uint64_t> small(count);
  std::iota(small.begin(), small.end(), 0);
  std::vector<uint64_t> nearly_all_bits = small;
  for (uint64_t& i : nearly_all_bits) i = ~(uint64_t{1} << i % 64) - i;
  return {
      {"all equal", std::vector<uint64_t>(count, kFixed)},
      {"a third equal", third},
      {"in twos", twos},
      // Their first masks differ only in the header's bit.
      {"in opposites", opposites},
      {"equal low halves of the mask",
       HashesOfProducts(count, kFixed, uint64_t{0xffffffff} << 32,
                        kHashOfMask)},
      {"equal masks up to 9 bits",
       HashesOfProducts(count, kFixed, kNineBits, kHashOfMask)},
      {"equal masks up to the top bits",
       HashesOfProducts(count, kFixed, kNineBits << 55, kHashOfMask)},
      {"masks of a few bits",
       HashesOfProducts(count, 0, kNineBits << 40, kHashOfMask)},
      {"equal fingerprints",
       HashesOfProducts(count, kFixed, ~uint64_t{0xfffffff}, 1)},
      {"equal fractions",
       HashesOfProducts(count, 31 << 4, ~uint64_t{31 << 4}, 1)},
      {"small numbers", small},
      {"nearly all bits", nearly_all_bits},
  };
}

}  // namespace linebloom
