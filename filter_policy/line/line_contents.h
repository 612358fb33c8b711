// What stands in the 64 bytes of a finished line, for people who look at it;
// a reader asks lines through line_kernel.h.
#pragma once

#include <array>
#include <cstdint>

#include "filter_policy/line/line.h"
#include "filter_policy/line/line_probes.h"

namespace linebloom {

struct LineContents {
  int probes = 0;      // of this line; of a line that denies nothing 0 or 15
  int bits_set = 0;    // of those that probes can ask for
  int bits = 0;        // all of those: 512 of a plain line, 448 of a searched
  double rate = 0;     // the exact false-positive rate of this line
  bool asked = false;  // whether it has a number of probes that is ever asked
  bool has_seeds = false;  // whether it is a searched line
  std::array<uint8_t, kGroups> seeds = {};

  double fill() const { return static_cast<double>(bits_set) / bits; }
};

// `shape` is one that IsReadable, `line` has kLineBytes.
LineContents ReadLine(const LineShape& shape, const uint8_t* line);

}  // namespace linebloom
