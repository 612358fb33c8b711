// The equations of a solved line's keys, derived from the format alone: simple,
// slow, and sharing no code with the kernels.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter_policy/line/line.h"

namespace linebloom {

// The parity of the line's bits under `mask`, where bit 64 * w + i is bit i of
// word w.
struct Equation {
  std::bitset<8 * kLineBytes> mask;
  bool parity = false;
};

// The equations of a key in a line with `total` thirty-seconds of a probe per
// key.
std::vector<Equation> EquationsOf(uint64_t hash, int total);

// The equations of many keys.
std::vector<Equation> EquationsOf(std::span<const uint64_t> hashes, int total);

bool Holds(const Equation& equation, const uint8_t* line);

// True if some line satisfies all equations.
bool HaveSolution(std::vector<Equation> equations);

}  // namespace linebloom
