// The bits of a plain line that a hash probes, when building and when reading:
// those of RocksDB's Bloom filter since format_version 5 (FastLocalBloom in its
// util/bloom_impl.h). docs/format.md, "Plain lines".
//
// Our hashes have RocksDB's two halves exchanged, so that, as for solved lines,
// the upper bits decide the line and sorted hashes are sorted by line. The
// lower 32 bits, times the multiplier of a probe, have the probe's bit on top.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

inline constexpr int kMaxPlainProbes = 30;  // 31 is reserved

// Powers of 2^32 divided by the golden ratio, for 32 probes: kernels take 8 or
// 16 at a time.
inline constexpr auto kProbeMultipliers = [] {
  std::array<uint32_t, 32> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) {
    powers[i] = powers[i - 1] * 0x9e3779b9;
  }
  return powers;
}();

// The line of a hash, 0 to lines - 1.
inline uint32_t PlainLineOf(uint64_t hash, uint32_t lines) {
  return static_cast<uint32_t>(((hash >> 32) * lines) >> 32);
}

// The bit of the line, 0 to 511, that probe `probe` of a hash reads.
inline uint32_t PlainBitOf(uint64_t hash, int probe) {
  return (static_cast<uint32_t>(hash) * kProbeMultipliers[probe]) >> 23;
}

// Adds a key to the line that it belongs to.
//
// Rejected: probes computed by SIMD. A line is written bit by bit even so.
inline void AddToPlainLine(int probes, uint64_t hash, uint8_t* line) {
  for (int i = 0; i < probes; ++i) {
    const uint32_t bit = PlainBitOf(hash, i);
    line[bit / 8] |= static_cast<uint8_t>(1 << bit % 8);
  }
}

// The number of probes, 1 to 24, that RocksDB chooses for `millibits`
// thousandths of a bit per key.
inline int PlainProbes(uint32_t millibits) {
  // The most for 1, 2, ... probes; beyond, one more every 2 bits.
  constexpr std::array<uint32_t, 12> kMost = {2080,  3580,  5100,  6640,
                                              8300,  10070, 11720, 14001,
                                              16050, 18300, 22001, 25501};
  if (millibits > 50000) return 24;
  const auto probes =
      std::ranges::lower_bound(kMost, millibits) - kMost.begin() + 1;
  return static_cast<int>(millibits > kMost.back() ? (millibits - 1) / 2000 - 1
                                                   : probes);
}

}  // namespace linebloom
