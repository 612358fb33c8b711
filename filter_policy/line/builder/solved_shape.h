// The shape of a filter's solved lines: which numbers of probes headers can
// express.
#pragma once

#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

// The shape for `keys` keys in `lines` lines (more than 0). The number of keys
// per line is Poisson distributed. The smallest header fits lines 5.5 standard
// deviations above the mean, one in 10^7, and the largest one lines 1.7 below
// it, one in 25. Fuller lines match everything; emptier ones have fewer probes
// than they have room for. Both cost less than coarser steps would.
LineShape SolvedShape(uint64_t keys, uint32_t lines);

}  // namespace linebloom
