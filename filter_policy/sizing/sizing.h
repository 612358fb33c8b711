// How many lines a filter has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

// Bits per key are kept in thousandths, as RocksDB keeps them, so that an
// option string and a double that mean the same build the same bytes.
inline constexpr uint32_t kMillibitsPerBit = 1000;

// RocksDB stores and checks blocks of less than 4 GiB; the lines of a larger
// filter get more keys than asked for.
inline constexpr uint32_t kMaxLines = 0xffffff00u / kLineBytes;

// The fewest lines that give each of `keys` keys `millibits` thousandths of a
// bit; 1 to kMaxLines, 0 only for no keys.
uint32_t LinesFor(uint64_t keys, uint32_t millibits);

// The most keys for which LinesFor gives no more than `lines`.
uint64_t KeysFor(uint32_t lines, uint32_t millibits);

// The bits per key, in thousandths, of `lines` for `keys`, both more than 0.
uint32_t MillibitsFor(uint32_t lines, uint64_t keys);

// Below it a solved line has no room for 2 probes a key, and matches everything
// where a plain one still rejects half.
inline constexpr uint32_t kLeastSolvedMillibits = 2250;

// The kind of line that a filter gets for which `line` is asked.
constexpr LineKind BuiltLine(LineKind line, uint32_t millibits) {
  return millibits < kLeastSolvedMillibits ? LineKind::kPlain : line;
}

}  // namespace linebloom
