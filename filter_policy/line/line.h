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

// The line of a hash, 0 to lines - 1, before balancing. Monotone in the hash,
// so sorted hashes are also sorted by line.
inline uint32_t LineOf(uint64_t hash, uint32_t lines) {
  return static_cast<uint32_t>((static_cast<unsigned __int128>(hash) * lines) >>
                               64);
}

// Eight solved lines share a byte, their code, which evens out their loads: it
// distributes the 128 slices of the group's hashes to its lines. The last group
// of a filter may have fewer lines; its code is 0, which changes nothing.
inline constexpr int kLinesPerGroup = 8;
inline constexpr int kSliceBits = 7;

inline uint32_t GroupsOf(uint32_t lines) {
  return lines / kLinesPerGroup + (lines % kLinesPerGroup != 0 ? 1 : 0);
}

inline uint32_t GroupOf(uint64_t hash, uint32_t lines) {
  return LineOf(hash, lines) / kLinesPerGroup;
}

// The bytes of lines together with their groups' codes, which follow them.
inline size_t BytesOfLines(Line kind, uint32_t lines) {
  return lines * kLineBytes + (kind == Line::kSolved ? GroupsOf(lines) : 0);
}

// The place of a hash in its group: a slice, in the top bits of a word.
inline uint64_t SliceOf(uint64_t hash, uint32_t lines) {
  const auto product = static_cast<unsigned __int128>(hash) * lines;
  return static_cast<uint64_t>(product >> 3) >> (64 - kSliceBits)
                                                    << (64 - kSliceBits);
}

// The line, 0 to 7, of a slice in its group: the top bits of slice * (4 * code
// + 1) + code * 2^53, in an order that has little to wait for the code.
inline uint32_t LineInGroup(uint64_t slice, uint8_t code) {
  return static_cast<uint32_t>(
      (slice + code * (4 * slice + (uint64_t{1} << 53))) >> 61);
}

// The line of a hash in a filter of balanced lines.
inline uint32_t BalancedLineOf(uint64_t hash, uint32_t lines,
                               const uint8_t* codes) {
  const uint32_t group = GroupOf(hash, lines);
  return kLinesPerGroup * group +
         LineInGroup(SliceOf(hash, lines), codes[group]);
}

}  // namespace linebloom
