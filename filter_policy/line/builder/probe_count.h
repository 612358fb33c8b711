// How many probes the lines of a plain filter have.
#pragma once

#include <cstdint>

namespace linebloom {

// The number of probes, 1 to kMaxPlainProbes, with the lowest rate at
// `millibits` thousandths of a bit per key, from a table that
// filter_policy/line/builder/line_tables.cc measures.
int PlainProbes(uint32_t millibits);

}  // namespace linebloom
