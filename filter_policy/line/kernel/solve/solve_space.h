// The memory in which a solved line is built, the same for every kernel.
#pragma once

#include <cstdint>

#include "filter_policy/line/line.h"
#include "filter_policy/line/solved_probes.h"

namespace linebloom {

// With more keys a line has room for fewer than 2 probes each.
inline constexpr int kMostSolvedKeys = kLineUnknowns / 2;

// Rows of one stage. The last stage has the most: its probes, fewer than 256,
// and what the earlier stages left.
inline constexpr int kMostRows = 400;
inline constexpr int kMostRowWords = 5;
// A vector may be loaded or stored from the last row on.
inline constexpr int kRowsAllocated = kMostRows + 16;

// Equations, word by word, so that a vector holds the same word of several.
struct Rows {
  alignas(64) uint64_t words[kMostRowWords][kRowsAllocated];
  int count = 0;
};

// The rows of a stage that were eliminated with: no two have the same pivot,
// and none has an earlier one's pivot set.
struct Pivots {
  uint64_t rows[kMostRows][kMostRowWords];
  uint64_t bit[kMostRows];  // the pivot, in word `word`
  uint8_t word[kMostRows];
  uint16_t row[kMostRows];  // its number before the elimination
  int count = 0;
};

// A row of a stage that has no pivot there; it goes on to the next.
struct Leftover {
  uint64_t fields[4];  // one for each word of a plane
  uint64_t rhs;        // a bit for each plane
};

// Leftovers of single words, the same in all eight: unlike wider ones they are
// eliminated before the later stages, not copied into them. A build that leaves
// more is given up.
inline constexpr int kMostSingles = 24;
inline constexpr int kMostLeftovers = 40;

struct SolveSpace {
  // The line's keys by descending fraction, so that those with one probe more
  // come first.
  alignas(64) uint64_t masks[kMostSolvedKeys + 20];
  alignas(64) uint64_t prints[kMostSolvedKeys + 20];

  // The solution, growing stage by stage.
  alignas(64) uint64_t words[kWordsPerLine];

  Rows rows;
  Pivots first;
  Pivots pairs;
  Pivots fours;
  Pivots whole;
  Leftover left[kMostLeftovers];

  int keys = 0;
  int with_fraction_from[kPerProbe + 1];  // keys with at least that fraction
  int singles = 0;                        // at the end of `first`
  int leftovers = 0;
};

}  // namespace linebloom
