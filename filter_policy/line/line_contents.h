// What the 64 bytes of a finished line hold, for people who look at it; a
// reader probes lines through kernel/line_kernel.h.
#pragma once

#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

struct LineContents {
  // Probes of each of the line's keys; a fraction is the share of keys that has
  // one more. 0: the line matches everything.
  double probes = 0;
  double rate = 1;   // the exact false-positive rate of this line
  int bits_set = 0;  // of a plain line's 512, or a solved one's 504 unknowns
  int bits = 0;      // all of those
  int header = 0;    // of a solved line

  double fill() const { return static_cast<double>(bits_set) / bits; }
};

// `shape` is one that IsReadable, `line` has kLineBytes.
LineContents ReadLine(const LineShape& shape, const uint8_t* line);

}  // namespace linebloom
