// The shape of a filter's solved lines: how many probes their headers can say.
#pragma once

#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

// For `keys` keys in `lines` lines (more than 0). A line's number of keys is
// Poisson distributed; the smallest header is for lines 5.5 standard deviations
// above the mean, one in 10^7, and the largest for those 1.7 below it, one in
// 25. Fuller lines match everything, emptier ones have fewer probes than they
// have room for; both cost less than coarser steps would.
LineShape SolvedShape(uint64_t keys, uint32_t lines);

}  // namespace linebloom
