// Which bits of a line a hash stands for: shared by building and asking, and
// fixed for ever by docs/format.md, "Probes".
//
// A hash gives a window, a group and a value `y`. The probe in word w reads 6
// bits of y, so every probe of a round stands in a word of its own. A line
// with k probes and W words of bits uses all W words k / W times, and k % W
// words, beginning at the hash's window, once more.
//
// Rejected: 14 words of 32 bits (one round for every k, but 6 % more false
// positives at 10 bits per key, because the words fill less evenly); positions
// anywhere in the line (the same rate as plain words, and no SIMD without
// gather).
#pragma once

#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

inline constexpr int kWordsPerLine = 8;

// Searched lines.
inline constexpr int kGroups = 10;
inline constexpr int kSeedBits = 6;
inline constexpr int kSeeds = 1 << kSeedBits;
inline constexpr int kSearchedWords = 7;  // words 1 to 7 hold bits
inline constexpr int kSearchedProbesShift = kGroups * kSeedBits;  // in word 0
inline constexpr int kMaxSearchedProbes = 2 * kSearchedWords;
// Written by no builder; such a line denies nothing. So does one of 0 probes.
inline constexpr int kReservedSearchedProbes = 15;

// Plain lines.
inline constexpr int kPlainWords = 8;
inline constexpr int kMaxPlainProbes = 2 * kPlainWords;

// 2^64 divided by the golden ratio; an odd number with well-spread bits.
inline constexpr uint64_t kFirstRoundMultiplier = 0x9e3779b97f4a7c15;
// A prime with well-spread bits (xxHash's PRIME64_2).
inline constexpr uint64_t kSecondRoundMultiplier = 0xc2b2ae3d27d4eb4f;

// Where a hash stands in a searched line. Both come from the low half of the
// hash, which the line number leaves free.
struct GroupAndWindow {
  uint32_t group;   // 0 to 9
  uint32_t window;  // 0 to 6
};

inline GroupAndWindow GroupAndWindowOf(uint64_t hash) {
  const uint64_t scaled = (hash & 0xffffffff) * kGroups;
  return {
      static_cast<uint32_t>(scaled >> 32),
      static_cast<uint32_t>(((scaled & 0xffffffff) * kSearchedWords) >> 32)};
}

// The window in a plain line, 0 to 7.
inline uint32_t PlainWindowOf(uint64_t hash) { return (hash >> 29) & 7; }

// What the first round's probes read. `base` 0 to 63 chooses one of 64 hashes.
inline uint64_t FirstRound(uint64_t hash, uint32_t base) {
  return hash * kFirstRoundMultiplier * (2 * uint64_t{base} + 1);
}

// What the second round's probes read. The shift makes it more than another
// multiple of the hash.
inline uint64_t SecondRound(uint64_t first_round) {
  return (first_round ^ (first_round >> 32)) * kSecondRoundMultiplier;
}

// The bit, 0 to 63, that the probe in word `word` (0 to 7) stands for. The
// upper bits of a product depend on all bits below them, so the lowest 16 stay
// unread.
inline uint32_t BitInWord(uint64_t round, uint32_t word) {
  return (round >> (16 + 6 * word)) & 63;
}

// A seed's two parts: its high bits choose the hash, its low `rotation_bits`
// rotate all words of the pattern. Rotating costs the builder one instruction
// a word where a new hash costs a pass over the keys, and finds nearly as much.
inline uint32_t SeedBase(uint32_t seed, uint32_t rotation_bits) {
  return seed >> rotation_bits;
}
inline uint32_t SeedRotation(uint32_t seed, uint32_t rotation_bits) {
  return seed << (kSeedBits - rotation_bits) & 63;
}

}  // namespace linebloom
