// The number of probes in the lines of a plain filter.
#pragma once

#include <cstdint>

namespace linebloom {

// The number of probes, 1 to kMaxPlainProbes, with the lowest rate at
// `millibits` thousandths of a bit per key. The table comes from
// filter_policy/line/builder/line_tables.cc.
int PlainProbes(uint32_t millibits);

}  // namespace linebloom
