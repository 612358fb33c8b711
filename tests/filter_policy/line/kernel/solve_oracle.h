// The equations of a solved line's keys, from the format alone: nothing here is
// fast, or shared with the kernels.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter_policy/line/line.h"

namespace linebloom {

// The line's bits under `mask`, bit 64 * w + i for bit i of word w, have this
// parity.
struct Equation {
  std::bitset<8 * kLineBytes> mask;
  bool parity = false;
};

// The equations of a key of a line that has `total` thirty-seconds of a probe
// for each.
std::vector<Equation> EquationsOf(uint64_t hash, int total);

// Those of many.
std::vector<Equation> EquationsOf(std::span<const uint64_t> hashes, int total);

bool Holds(const Equation& equation, const uint8_t* line);

// True if some line fulfils all of them.
bool HaveSolution(std::vector<Equation> equations);

}  // namespace linebloom
