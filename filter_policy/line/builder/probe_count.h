// How many probes the lines of a filter have.
#pragma once

#include <cstdint>

namespace linebloom {

// The number of probes with the lowest rate, from tables that
// filter_policy/line/builder/line_tables.cc measures. Plain lines have one
// number for the whole filter (1 to kMaxPlainProbes), searched lines each their
// own (1 to kMaxSearchedProbes).
int PlainProbes(uint32_t millibits);
int SearchedProbes(uint64_t keys_in_line);

}  // namespace linebloom
