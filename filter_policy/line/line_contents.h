// The contents of a finished line, for tools that display it. To probe a line,
// use kernel/line_kernel.h.
#pragma once

#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

struct LineContents {
  // Mean number of probes per key: a fraction is the share of keys with one
  // more. 0 if the line matches everything.
  double probes = 0;
  double rate = 1;   // the exact false-positive rate of this line
  int bits_set = 0;  // of the 512 bits (plain) or 504 unknowns (solved)
  int bits = 0;      // 512 or 504
  int header = 0;    // solved lines only

  double fill() const { return static_cast<double>(bits_set) / bits; }
};

// `shape` must be readable (IsReadable), and `line` has kLineBytes.
LineContents ReadLine(const LineShape& shape, const uint8_t* line);

}  // namespace linebloom
