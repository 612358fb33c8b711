// Which words of a line the probes of each round are in, as bit masks (bit i
// for word i), looked up by the kernels that ask all words at once.
#pragma once

#include <array>
#include <cstdint>

#include "filter_policy/line/line_probes.h"

namespace linebloom {

struct RoundWords {
  uint8_t first;
  uint8_t second;
};

// By number of probes and window. One row more than there are windows keeps the
// rows at 8.
template <int kProbeCounts>
using RoundWordsTable = std::array<std::array<RoundWords, 8>, kProbeCounts>;

namespace round_words_internal {

constexpr uint8_t WordsFrom(int window, int count, int words, int first_word) {
  int mask = 0;
  for (int i = 0; i < count && i < words; ++i) {
    mask |= 1 << (first_word + (window + i) % words);
  }
  return static_cast<uint8_t>(mask);
}

template <int kProbeCounts>
constexpr RoundWordsTable<kProbeCounts> MakeTable(int words, int first_word) {
  RoundWordsTable<kProbeCounts> table{};
  for (int probes = 0; probes < kProbeCounts; ++probes) {
    for (int window = 0; window < 8; ++window) {
      table[probes][window] = {
          WordsFrom(window, probes, words, first_word),
          WordsFrom(window, probes - words, words, first_word)};
    }
  }
  return table;
}

constexpr RoundWordsTable<16> MakeSearchedTable() {
  RoundWordsTable<16> table = MakeTable<16>(kSearchedWords, 1);
  // No probes: nothing is denied.
  for (RoundWords& words : table[kReservedSearchedProbes]) words = {0, 0};
  return table;
}

}  // namespace round_words_internal

inline constexpr RoundWordsTable<kMaxPlainProbes + 1> kPlainRoundWords =
    round_words_internal::MakeTable<kMaxPlainProbes + 1>(kPlainWords, 0);

// By what the 4 bits of a line say.
inline constexpr RoundWordsTable<16> kSearchedRoundWords =
    round_words_internal::MakeSearchedTable();

// Where a key's probes are in a searched line.
struct SearchedProbes {
  uint32_t first_words;  // as RoundWords has them
  uint32_t second_words;
  uint64_t first_round;
  uint32_t rotation;
};

// `seeds` is word 0 of the line.
inline SearchedProbes SearchedProbesOf(const LineShape& shape, uint64_t seeds,
                                       uint64_t hash) {
  const GroupAndWindow at = GroupAndWindowOf(hash);
  const uint32_t seed = seeds >> (kSeedBits * at.group) & (kSeeds - 1);
  const RoundWords& words =
      kSearchedRoundWords[seeds >> kSearchedProbesShift][at.window];
  return {words.first, words.second,
          FirstRound(hash, SeedBase(seed, shape.step)),
          SeedRotation(seed, shape.step)};
}

}  // namespace linebloom
