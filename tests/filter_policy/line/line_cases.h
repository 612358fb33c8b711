// The lines that tests build: shapes, and keys that are hard to solve.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line.h"

namespace linebloom {

using LineBytes = std::array<uint8_t, kLineBytes>;

inline const ProbeFunctions& ProbesOf(const LineKernel& kernel,
                                      const LineShape& shape) {
  return shape.kind == Line::kPlain ? kernel.plain : kernel.solved;
}

// Probes a single line.
inline bool LineMayMatch(const LineKernel& kernel, const LineShape& shape,
                         const LineBytes& line, uint64_t hash) {
  return ProbesOf(kernel, shape)
      .line_may_match({line.data(), 1, shape}, line.data(), hash);
}

// The shapes of solved lines in filters with 1 to 30 bits per key, the extreme
// ones, and some of plain lines.
std::vector<LineShape> AllShapes();

// A shape's name in test names and messages.
std::string NameOf(const LineShape& shape);

struct Crowd {
  const char* name;
  std::vector<uint64_t> hashes;
};

// Sets of `count` keys that repeat or whose equations are similar.
std::vector<Crowd> Crowds(size_t count);

}  // namespace linebloom
