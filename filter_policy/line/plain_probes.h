// The bits of a plain line that a hash probes, when building and when reading;
// fixed by docs/format.md, "Plain lines".
//
// A hash gives a window, and a value for each round. The probe in word w reads
// 6 bits of that value, so each probe of a round falls in a different word. A
// line with k probes uses all 8 words k / 8 times, and then k % 8 words once
// more, beginning at the hash's window.
//
// Rejected: positions anywhere in the line (the same rate, but SIMD would need
// a gather).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

inline constexpr int kMaxPlainProbes = 2 * kWordsPerLine;

// 2^64 divided by the golden ratio; an odd number with well-spread bits.
inline constexpr uint64_t kFirstRoundMultiplier = 0x9e3779b97f4a7c15;
// A prime with well-spread bits (xxHash's PRIME64_2).
inline constexpr uint64_t kSecondRoundMultiplier = 0xc2b2ae3d27d4eb4f;

// The word of the first probe outside the whole rounds, 0 to 7.
inline uint32_t PlainWindowOf(uint64_t hash) { return (hash >> 29) & 7; }

// The value that the first round's probes read.
inline uint64_t FirstRound(uint64_t hash) {
  return hash * kFirstRoundMultiplier;
}

// The value that the second round's probes read. Without the shift it would be
// just another multiple of the hash.
inline uint64_t SecondRound(uint64_t first_round) {
  return (first_round ^ (first_round >> 32)) * kSecondRoundMultiplier;
}

// The bit, 0 to 63, probed in word `word` (0 to 7). The upper bits of a product
// depend on all bits below them, so the lowest 16 are not used.
inline uint32_t BitInWord(uint64_t round, uint32_t word) {
  return (round >> (16 + 6 * word)) & 63;
}

// Which words of a plain line each round probes, as bit masks (bit i for word
// i), for the kernels that probe all words at once.
struct RoundWords {
  uint8_t first;
  uint8_t second;
};

// Indexed by number of probes and window. A table: computing the words makes
// lookups slower.
inline constexpr auto kPlainRoundWords = [] {
  std::array<std::array<RoundWords, kWordsPerLine>, kMaxPlainProbes + 1>
      table{};
  for (int probes = 0; probes <= kMaxPlainProbes; ++probes) {
    const uint32_t words = (1U << probes) - 1;  // a bit for each probe
    for (int window = 0; window < kWordsPerLine; ++window) {
      table[probes][window] = {
          std::rotl(static_cast<uint8_t>(words), window),
          std::rotl(static_cast<uint8_t>(words >> 8), window)};
    }
  }
  return table;
}();

// The probability that all of `probes` probes hit set bits, for a hash that is
// not one of the line's keys, given the number of bits set in each word.
//
// A probe in word w hits a set bit with probability popcount(w) / 64, and
// probes are independent. The window is uniform, so the rate is the mean over
// all windows. The result is the same double on every CPU, even if the compiler
// fuses multiplications with additions: each product that is added is exact.
double PlainLineRate(const std::array<int, kWordsPerLine>& bits_set,
                     int probes);

}  // namespace linebloom
