// The exact false-positive rate of a plain line, from the bits as built.
#pragma once

#include <array>
#include <span>

#include "filter_policy/line/plain_probes.h"

namespace linebloom {

// The probability that `probes` probes all fall on set bits, for a hash that is
// none of the line's keys, from the number of bits set in each word.
//
// A probe in word w falls on a set bit with probability popcount(w) / 64, and
// the probes are independent; the window is uniform, so the rate is the mean
// over all windows. The same double on every CPU: every product is exact or
// rounded alike, and no sum is fused with a product (see CMakeLists.txt).
double PlainLineRate(const std::array<int, kPlainWords>& bits_set, int probes);

}  // namespace linebloom
