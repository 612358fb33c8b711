// The contents of a finished line, for tools that display it. To probe a line,
// use kernel/line_kernel.h.
#pragma once

#include <array>
#include <cstdint>

#include "filter_policy/line/line.h"
#include "filter_policy/line/plain_probes.h"

namespace linebloom {

// The probability that all of `probes` probes hit set bits, for a hash that is
// not one of the line's keys, given the number of bits set in each word.
//
// A probe in word w hits a set bit with probability popcount(w) / 64, and
// probes are independent. The window is uniform, so the rate is the mean over
// all windows. The result is the same double on every CPU, even if the compiler
// fuses multiplications with additions: each product that is added is exact.
double PlainLineRate(const std::array<int, kWordsPerLine>& bits_set,
                     int probes);

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
