// The exact false-positive rate of a plain line, from its bits.
#pragma once

#include <array>
#include <span>

#include "filter_policy/line/plain_probes.h"

namespace linebloom {

// The probability that all of `probes` probes hit set bits, for a hash that is
// not one of the line's keys, given the number of bits set in each word.
//
// A probe in word w hits a set bit with probability popcount(w) / 64, and
// probes are independent. The window is uniform, so the rate is the mean over
// all windows. The result is the same double on every CPU, even if the compiler
// fuses multiplications with additions: each product that is added is exact.
double PlainLineRate(const std::array<int, kPlainWords>& bits_set, int probes);

}  // namespace linebloom
