// The line: 64 bytes that answer for all keys that hash to it.
//
// What is said of a line outside its bytes. A line is built in line_builder.h
// (its keys' hashes in, 64 bytes and their exact rate out) and asked in
// line_kernel.h (64 bytes and a hash in, yes or no out); nothing else may
// assume what the 64 bytes mean.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linebloom {

inline constexpr size_t kLineBytes = 64;

// The values are stored in every filter (docs/format.md).
enum class LineKind : uint8_t {
  kPlain = 1,     // 8 words of bits
  kSearched = 2,  // a word of seeds, then 7 words of bits
};

// What a reader must know to ask the lines of one filter, beside their bytes.
struct LineShape {
  LineKind kind = LineKind::kSearched;
  // Plain: the number of probes of every line, 1 to 16. Searched: the most
  // probes of any line, 1 to 14; each line holds its own number.
  uint8_t probes = 0;
  // Searched: how many of a seed's 6 bits rotate the probes, 0 to 6; the
  // others choose a hash. Plain: 0.
  uint8_t rotation_bits = 0;

  friend bool operator==(const LineShape&, const LineShape&) = default;
};

// Whether a reader of this version can ask lines of this shape.
bool IsReadable(const LineShape& shape);

// Which of `lines` lines the hash belongs to: 0 to lines - 1. Monotone in the
// hash, so sorted hashes come line by line.
inline uint32_t LineOf(uint64_t hash, uint32_t lines) {
  return static_cast<uint32_t>((static_cast<unsigned __int128>(hash) * lines) >>
                               64);
}

}  // namespace linebloom
