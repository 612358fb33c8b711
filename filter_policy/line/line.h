// A line: the 64 bytes that answer for all keys hashed to it.
//
// This header describes lines independently of what their bytes mean. builder/
// builds a line (the hashes of its keys in, 64 bytes and their exact rate out),
// and kernel/ probes it (64 bytes and a hash in, yes or no out). No other code
// may interpret the bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "linebloom/line.h"

namespace linebloom {

inline constexpr size_t kLineBytes = 64;
inline constexpr int kWordsPerLine = 8;

// Everything besides the bytes that a reader needs to probe a filter's lines.
struct LineShape {
  Line kind = Line::kSolved;
  // Plain: the number of probes in every line, 1 to 16. Solved: 0.
  uint8_t probes = 0;
  // Solved: each key of a line with header h has (base + step * h) / 32 probes.
  // Plain: 0.
  uint8_t base = 0;
  uint8_t step = 0;

  friend bool operator==(const LineShape&, const LineShape&) = default;
};

// True if a reader of this version can probe lines of this shape.
bool IsReadable(const LineShape& shape);

// The line of a hash, 0 to lines - 1. Monotone in the hash, so sorted hashes
// are also sorted by line.
inline uint32_t LineOf(uint64_t hash, uint32_t lines) {
  return static_cast<uint32_t>((static_cast<unsigned __int128>(hash) * lines) >>
                               64);
}

}  // namespace linebloom
