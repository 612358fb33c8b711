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
enum class LineKind : uint8_t { kPlain = 1, kSolved = 2 };

// What a reader must know to ask the lines of one filter, beside their bytes.
struct LineShape {
  LineKind kind = LineKind::kSolved;
  uint8_t probes = 0;  // plain: probes of every line, 1 to 16
  uint8_t base = 0;    // solved: 64 to 255; with step: how many probes ...
  uint8_t step = 0;    // solved: 1 to 3; ... a line's header byte stands for
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
