// Which words of a plain line each round probes, as bit masks (bit i for word
// i), for the kernels that probe all words at once.
#pragma once

#include <array>
#include <cstdint>

#include "filter_policy/line/plain_probes.h"

namespace linebloom {

struct RoundWords {
  uint8_t first;
  uint8_t second;
};

constexpr uint8_t WordsFrom(int window, int count) {
  int mask = 0;
  for (int i = 0; i < count && i < kPlainWords; ++i) {
    mask |= 1 << (window + i) % kPlainWords;
  }
  return static_cast<uint8_t>(mask);
}

// Indexed by number of probes and window.
inline constexpr auto kPlainRoundWords = [] {
  std::array<std::array<RoundWords, kPlainWords>, kMaxPlainProbes + 1> table{};
  for (int probes = 0; probes <= kMaxPlainProbes; ++probes) {
    for (int window = 0; window < kPlainWords; ++window) {
      table[probes][window] = {WordsFrom(window, probes),
                               WordsFrom(window, probes - kPlainWords)};
    }
  }
  return table;
}();

}  // namespace linebloom
