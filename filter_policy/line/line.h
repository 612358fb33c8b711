// A line: the 64 bytes that answer for all keys hashed to it.
//
// This header describes lines independently of what their bytes mean.
// line_builder.h builds a line (the hashes of its keys in, 64 bytes and their
// exact rate out), and kernel/ probes it (64 bytes and a hash in, yes or no
// out). No other code may interpret the bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "linebloom/line.h"

namespace linebloom {

inline constexpr size_t kLineBytes = 64;
inline constexpr int kWordsPerLine = 8;

// Everything besides the bytes that a reader needs to probe a filter's lines.
struct LineShape {
  LineKind kind = LineKind::kSolved;
  // Plain: the number of probes in every line, 1 to 30. Solved: each key of a
  // line with header h has (base + step * h) / 32 probes.
  uint8_t base = 0;
  uint8_t step = 0;  // plain: 0

  friend bool operator==(const LineShape&, const LineShape&) = default;
};

// True if a reader of this version can probe solved lines of this shape.
bool IsReadable(const LineShape& shape);

// The line of a hash, 0 to lines - 1, before balancing. Monotone in the hash,
// so sorted hashes are also sorted by line.
inline uint32_t LineOf(uint64_t hash, uint32_t lines) {
  return static_cast<uint32_t>((static_cast<unsigned __int128>(hash) * lines) >>
                               64);
}

// Eight solved lines share a byte, their code, which evens out their loads. The
// hashes of each line are cut into eight slices; where bit i of the code is
// set, the lines of the group exchange their slices i, in pairs. The last group
// of a filter may have fewer lines; its code is 0, so it exchanges nothing.
//
// Both lines of a pair are known before the code is, so a lookup loads all
// three at once. Rejected: a code that permutes 128 slices of a group, which
// lets 2 % fewer missing keys through, but makes lookups of filters larger than
// the cache wait twice (figures in docs/design.md).
inline constexpr int kLinesPerGroup = 8;
inline constexpr int kSliceBits = 3;
inline constexpr int kSlices = 1 << kSliceBits;

inline uint32_t GroupsOf(uint32_t lines) {
  return lines / kLinesPerGroup + (lines % kLinesPerGroup != 0 ? 1 : 0);
}

inline uint32_t GroupOf(uint64_t hash, uint32_t lines) {
  return LineOf(hash, lines) / kLinesPerGroup;
}

// The bytes of lines together with their groups' codes, which follow them.
inline size_t BytesOfLines(LineKind kind, uint32_t lines) {
  return lines * kLineBytes + (kind == LineKind::kSolved ? GroupsOf(lines) : 0);
}

// The slice of a hash in its line, from the bits that follow those of LineOf.
inline uint32_t SliceOf(uint64_t hash, uint32_t lines) {
  return static_cast<uint32_t>((hash * lines) >> (64 - kSliceBits));
}

// 8 * LineOf + SliceOf in one product.
inline uint64_t SliceOfFilter(uint64_t hash, uint32_t lines) {
  return static_cast<uint64_t>(
      (static_cast<unsigned __int128>(hash) * (uint64_t{lines} * kSlices)) >>
      64);
}

// The line that exchanges this slice with `line`. Slices 0 and 1 go to the same
// one.
inline uint32_t OtherLine(uint32_t line, uint32_t slice) {
  return line ^ (slice + (slice == 0 ? 1 : 0));
}

// The line that has this slice of `line`, given the group's code.
inline uint32_t BalancedLine(uint32_t line, uint32_t slice, uint8_t code) {
  // A mask, because compilers turn the condition into a branch, which half of
  // the keys take.
  const uint32_t moves = 0u - (code >> slice & 1u);
  return line ^ ((line ^ OtherLine(line, slice)) & moves);
}

// The line of a hash in a filter of balanced lines, given its group's code.
inline uint32_t BalancedLineOf(uint64_t hash, uint32_t lines, uint8_t code) {
  return BalancedLine(LineOf(hash, lines), SliceOf(hash, lines), code);
}

// The exact false-positive rate of a solved line, by its header: `shape` must
// be readable, and `line` has kLineBytes.
double RateOfLine(const LineShape& shape, const uint8_t* line);

}  // namespace linebloom
