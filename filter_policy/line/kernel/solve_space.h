// The memory for building a solved line, laid out alike for every kernel.
#pragma once

#include <cstdint>

#include "filter_policy/line/line.h"
#include "filter_policy/line/solved_probes.h"

namespace linebloom {

// Above this, a line has room for fewer than 2 probes per key.
inline constexpr int kMaxSolvedKeys = kLineUnknowns / 2;

inline constexpr int kMaxLeftovers = 40;
// Rows of one stage. The last stage has the most: its own probes, of which no
// key has more than in earlier stages, and up to four for each leftover.
inline constexpr int kMaxRows = kLineUnknowns / 2 + 4 * kMaxLeftovers;
inline constexpr int kMaxRowWords = 5;
// Vectors may be loaded and stored beyond the last row.
inline constexpr int kRowsAllocated = kMaxRows + 16;

// Equations stored word by word, so that a vector holds the same word of
// several rows.
struct Rows {
  alignas(64) uint64_t words[kMaxRowWords][kRowsAllocated];
  int count = 0;
};

// A row and its pivot, a bit of one of its words. One without a pivot is all
// zeros and changes nothing.
template <int kWords>
struct PivotRow {
  uint64_t words[kWords];
  int word;  // holds the pivot
  uint64_t bit;
};

// The rows of a stage that have a pivot. All pivots differ, and no row has a
// bit set at an earlier row's pivot.
struct Pivots {
  uint64_t rows[kMaxRows][kMaxRowWords];
  uint64_t bit[kMaxRows];  // the pivot, in word `word`
  uint8_t word[kMaxRows];
  uint16_t row[kMaxRows];  // its index before elimination
  int count = 0;
};

// A row for which its stage has no pivot left; the next stage takes it over.
// One word for each of a plane's, then one with the right-hand sides, bit p for
// plane p. The pivot is among leftovers.
using Leftover = PivotRow<kMaxRowWords>;

// Leftovers of single-word planes, which are the same in all eight words.
// Unlike wider ones, they are eliminated before the later stages rather than
// copied into them. A build that leaves more is abandoned.
inline constexpr int kMaxSingles = 24;

struct SolveSpace {
  // The line's keys by descending fraction, so that those with an additional
  // probe come first.
  alignas(64) uint64_t masks[kMaxSolvedKeys + 20];
  alignas(64) uint64_t fingerprints[kMaxSolvedKeys + 20];

  // The solution, completed stage by stage.
  alignas(64) uint64_t words[kWordsPerLine];

  Rows rows;
  Pivots first;
  Pivots pairs;
  Pivots fours;
  Pivots whole;
  Leftover left[kMaxLeftovers];

  int keys = 0;
  int with_fraction_from[kPerProbe + 1];  // keys with at least that fraction
  int singles = 0;                        // at the end of `first`
  int leftovers = 0;
};

}  // namespace linebloom
