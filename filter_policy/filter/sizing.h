// The size of a filter and the rate to expect of it: the number of lines for a
// number of bits per key, and the bits for a rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/line.h"

namespace linebloom {

inline constexpr double kBitsPerLine = 8.0 * kLineBytes;

// Bits per key are stored in thousandths, as in RocksDB, so that an option
// string and a double of the same value build the same bytes.
inline constexpr uint32_t kMillibitsPerBit = 1000;

// RocksDB stores and checks blocks of less than 4 GiB. The lines of a larger
// filter get more keys than requested.
inline constexpr uint32_t kMaxLines =
    0xffffff00u / (kLinesPerGroup * kLineBytes + 1) * kLinesPerGroup;

// The fewest lines that provide `millibits` thousandths of a bit for each of
// `keys` keys: 1 to kMaxLines, 0 only if there are no keys.
uint32_t NumLinesForKeys(uint64_t keys, uint32_t millibits);

// The most keys for which NumLinesForKeys returns no more than `lines`.
uint64_t MaxKeysForLines(uint32_t lines, uint32_t millibits);

// Thousandths of a bit per key in `lines` lines for `keys` keys, both more than
// 0.
uint32_t MillibitsPerKey(uint32_t lines, uint64_t keys);

// Below this size a solved line has no room for 2 probes per key and matches
// everything, while a plain one still rejects half of the missing keys.
inline constexpr uint32_t kMinSolvedMillibits = 2250;

// The most lines, with their groups' codes, that fit in `bytes`: 0 to
// kMaxLines.
uint32_t NumLinesInBytes(LineKind line, size_t bytes);

// Resolves what solved lines can't do: below kMinSolvedMillibits it switches to
// plain lines or, if a seed or canonical key needs solved ones, raises the bits
// to that minimum.
constexpr FilterRequest AsBuilt(FilterRequest request) {
  if (request.line == LineKind::kPlain ||
      request.millibits_per_key >= kMinSolvedMillibits) {
    return request;
  }
  if (request.hash_seed == 0 && request.canonical_key == 0) {
    request.line = LineKind::kPlain;
  } else {
    request.millibits_per_key = kMinSolvedMillibits;
  }
  return request;
}

// The false-positive rate to expect before a filter is built, for planning. A
// built filter's metadata has its exact rate.

// The rate of a large filter with a mean of `keys_per_line` keys per line (512
// / bits per key), more than 0. `millibits` is the requested size; it
// determines only the number of probes of plain lines.
//
// Solved lines: measured by filter_policy/filter/solved_rates.cc. Tests check
// that real filters of 1 to 30 bits per key are within 2 %.
double ExpectedRate(LineKind line, uint32_t millibits, double keys_per_line);

// The same of filters that a policy of these lines builds with so many bits per
// key, at least kMinBitsOfRun; 1 with none. Fast.
double RateOf(LineKind line, double bits_per_key);

// How much the logarithm of a line's rate falls with each bit per key. A plain
// line: (ln 2)^2, as for a classic Bloom filter. A solved line: ln 2, except
// for the bits of its header.
double LogRatePerBit(LineKind line);

// The range of BitsForRate, and of a run's bits per key in a tree: 1 to 30 bits
// per key, as for the policy.
inline constexpr double kMinBitsOfRun = 1;
inline constexpr double kMaxBitsOfRun = 30;
inline constexpr uint32_t kMinMillibits = 1 * kMillibitsPerBit;
inline constexpr uint32_t kMaxMillibits = 30 * kMillibitsPerBit;

// The fewest thousandths of a bit per key with which a large filter is expected
// to have at most `rate`; nothing if kMaxMillibits is too few. For plain lines
// up to 240 too many, where RocksDB changes the number of probes.
std::optional<uint32_t> BitsForRate(LineKind line, double rate);

}  // namespace linebloom
