// The exact false-positive rate of a line, from the bits as built.
#pragma once

#include <cstdint>
#include <span>

namespace linebloom {

// The probability that `probes` probes all fall on set bits, for a hash that is
// none of the line's keys. `words` are the words of bits of the line: 8 of a
// plain one, 7 of a searched one.
//
// A probe in word w falls on a set bit with probability popcount(w) / 64, and
// the probes are independent; the window is uniform, so the rate is the mean
// over all windows. The same double on every CPU: no sum is fused with a
// product (see CMakeLists.txt).
double LineRate(std::span<const uint64_t> words, int probes);

// The same from the number of bits set in each word.
double LineRate(std::span<const int> bits_set, int probes);

}  // namespace linebloom
