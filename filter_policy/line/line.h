// The line: 64 bytes that answer for all keys that hash to it.
//
// This file says what holds of a line whatever its bytes mean. A line is built
// in builder/ (its keys' hashes in, 64 bytes and their exact rate out) and
// probed in kernel/ (64 bytes and a hash in, yes or no out); nothing else may
// assume what the 64 bytes mean.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linebloom {

inline constexpr size_t kLineBytes = 64;
inline constexpr int kWordsPerLine = 8;

// The values are stored in every filter (docs/format.md).
enum class LineKind : uint8_t {
  kPlain = 1,   // bits that are set: a Bloom filter of 512 bits
  kSolved = 2,  // bits that solve the equations of the line's keys
};

// What a reader must know to probe the lines of one filter, beside their bytes.
struct LineShape {
  LineKind kind = LineKind::kSolved;
  // Plain: the number of probes of every line, 1 to 16. Solved: 0.
  uint8_t probes = 0;
  // Solved: a line whose header is h has `base + step * h` thirty-seconds of a
  // probe for each key. Plain: 0.
  uint8_t base = 0;
  uint8_t step = 0;

  friend bool operator==(const LineShape&, const LineShape&) = default;
};

// True if a reader of this version can probe lines of this shape.
bool IsReadable(const LineShape& shape);

// Which of `lines` lines the hash belongs to: 0 to lines - 1. Monotone in the
// hash, so sorted hashes come line by line.
inline uint32_t LineOf(uint64_t hash, uint32_t lines) {
  return static_cast<uint32_t>((static_cast<unsigned __int128>(hash) * lines) >>
                               64);
}

}  // namespace linebloom
