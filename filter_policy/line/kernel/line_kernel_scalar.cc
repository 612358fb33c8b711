// The reference in plain C++, for any CPU: follows docs/format.md word by word.
// Tests compare all other kernels with it.
#include "filter_policy/line/kernel/kernel_includes.inc"

LINEBLOOM_OPTIMIZE

namespace linebloom {
namespace {

// Plain lines.

inline bool PlainMayMatch(const LineShape& shape, const uint8_t* line,
                          uint64_t hash) {
  for (int i = 0; i < shape.base; ++i) {
    const uint32_t bit = PlainBitOf(hash, i);
    if ((line[bit / 8] >> bit % 8 & 1) == 0) return false;
  }
  return true;
}

// Solved lines.

struct SolvedWords {
  explicit SolvedWords(const uint8_t* line) {
    for (int w = 0; w < kWordsPerLine; ++w) {
      all[w] = LoadLittleEndian<uint64_t>(line + 8 * w);
    }
  }
  uint64_t all[kWordsPerLine];
};

inline uint32_t HeaderOf(const SolvedWords& words) {
  uint32_t header = 0;
  for (int w = 0; w < kWordsPerLine; ++w) {
    header |= static_cast<uint32_t>(words.all[w] >> 63) << w;
  }
  return header;
}

inline uint32_t IsOdd(uint64_t word) {
  return static_cast<uint32_t>(__builtin_parityll(word));
}

// One bit for each of 8 words that has an odd number of bits under the mask.
inline uint32_t OddWords(const uint64_t* words, uint64_t mask) {
  uint32_t odd = 0;
#pragma GCC unroll 8
  for (int w = kWordsPerLine - 1; w >= 0; --w) {
    odd = 2 * odd + IsOdd(words[w] & mask);
  }
  return odd;
}

inline uint32_t Parities(const SolvedWords& words, uint64_t mask) {
  return OddWords(words.all, mask & kUnknowns);
}

// The sum of `count` words from `first` on, under the masks from place `place`
// on.
inline uint64_t MaskedSum(const SolvedWords& words, uint32_t seed, int first,
                          int count, int place) {
  uint64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    sum ^= words.all[first + i] &
           (uint64_t{seed} * kSpread[place + i] << kSpreadShift);
  }
  return sum;
}

inline uint32_t PairParities(const SolvedWords& words, uint32_t seed,
                             uint64_t columns) {
  uint32_t parities = 0;
  for (int first = 0; first < kWordsPerLine; first += 2) {
    const uint64_t sum = MaskedSum(words, seed, first, 2, 0);
    parities |= IsOdd(sum & columns) << first;
  }
  return parities;
}

inline uint32_t HalfParities(const SolvedWords& words, uint32_t fours,
                             uint32_t last, const SolvedPlan& plan) {
  uint32_t parities = 0;
  for (int first = 0; first < kWordsPerLine; first += 4) {
    const uint64_t of_fours = MaskedSum(words, fours, first, 4, 0);
    const uint64_t of_last = MaskedSum(words, last, first, 4, first);
    parities |= IsOdd(of_fours & plan.fours_columns) << first |
                IsOdd(of_last & plan.last_columns) << (8 + first);
  }
  return parities;
}

// Building solved lines.

using Vector = uint64_t;

constexpr int kLanes = 1;
constexpr int kRegisters = 20;

inline uint32_t NonZero(uint64_t word) { return word != 0 ? 1 : 0; }

inline uint64_t HasBit(uint64_t word, uint64_t bit) {
  return 0 - static_cast<uint64_t>((word & bit) != 0);
}

template <int kBits>
inline uint64_t FieldsWith(uint64_t word, uint64_t bits) {
  constexpr uint64_t kTops = ~uint64_t{0} / (~uint64_t{0} >> (64 - kBits))
                             << (kBits - 1);
  const uint64_t shared = word & bits;
  // The top bit of each field that isn't 0.
  const uint64_t has = (((shared & ~kTops) + ~kTops) | shared) & kTops;
  return has | (has - (has >> (kBits - 1)));
}

inline uint64_t XorWhere(uint64_t where, uint64_t word, uint64_t other) {
  return word ^ (where & other);
}

inline uint64_t Odd(uint64_t word) { return uint64_t{0} - IsOdd(word); }

inline uint64_t MultiplyLow32(uint64_t word, uint32_t factor) {
  return (word & 0xffffffff) * factor;
}

#include "filter_policy/line/kernel/probe_line.inc"
#include "filter_policy/line/kernel/solve_lines.inc"

}  // namespace

const LineKernel kScalarKernel = KernelNamed("scalar");

}  // namespace linebloom
