// The equations that a hash contributes to a solved line, when building and
// when reading. docs/format.md, "Solved lines", defines them, and
// docs/design.md says why they come in stages.
//
// What a lookup computes doesn't depend on the header, which only says what
// counts, so nothing waits for it.
//
// Rejected: no stages between the first and the whole line (without SIMD, twice
// the build time at 10 bits per key and four times at 16); more in
// docs/design.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

// Probes are counted in thirty-seconds, because a line may have a fraction of a
// probe: that share of its keys has one more.
inline constexpr int kPerProbe = 32;

inline constexpr int kWordUnknowns = 63;
inline constexpr int kLineUnknowns = kWordsPerLine * kWordUnknowns;
inline constexpr uint64_t kUnknowns = ~uint64_t{0} >> 1;  // of one word

// Lines with room for fewer than 2 probes per key are not solved. A header
// means at most 255 + 3 * 255 thirty-seconds.
inline constexpr int kMinSolvedBase = 2 * kPerProbe;
inline constexpr int kMaxSolvedStep = 3;
inline constexpr int kMaxHeader = 255;

// Odd numbers with well-spread bits: xxHash's PRIME64_2, two common multipliers
// from hash mixers, and eight of 32 bits.
inline constexpr uint64_t kMaskMultiplier = 0xc2b2ae3d27d4eb4f;
inline constexpr uint64_t kFingerprintMultiplier = 0xd6e8feb86659fd93;
inline constexpr uint64_t kNextMaskMultiplier = 0x9fb21c651e98df25;
inline constexpr uint32_t kSpread[kWordsPerLine] = {
    0xfd7046c5, 0xef9c4c41, 0xe5b3a6d7, 0xdb4f0b91,
    0xcc9e2d53, 0xbf58476d, 0xb492b66f, 0xf1bbcdcb};

// A key's first mask, from which its others are derived.
inline uint64_t MaskOf(uint64_t hash) { return hash * kMaskMultiplier; }

// A key's fingerprint: 28 bits of the hash, so that the first rounds wait for
// no product, and then 36 bits of one. The bits above those decide the line.
inline uint64_t FingerprintOf(uint64_t hash) {
  return hash << 36 | (hash * kFingerprintMultiplier) >> 28;
}

// The mask of the next round, or of the next word of a probe over several
// words. It mixes both halves of the product: the low bits alone are linear in
// `mask` over GF(2), which would make the columns of two words depend on each
// other.
inline uint64_t NextMask(uint64_t mask) {
  const auto product =
      static_cast<unsigned __int128>(mask) * kNextMaskMultiplier;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// The lowest of the 8 fingerprint bits of a round, 0 to 3.
inline constexpr int kRoundBit[] = {56, 48, 28, 20};

inline uint32_t FingerprintOfRound(uint64_t fingerprint, int round) {
  return (fingerprint >> kRoundBit[round]) & 255;
}

// 0 to 31. A key has one more probe if this and the line's fraction add up to a
// whole probe.
inline int FractionOf(uint64_t fingerprint) { return (fingerprint >> 40) & 31; }

// The same without computing the fingerprint: rounds 0 and 1, and the fraction.
inline uint32_t FirstFingerprintOf(uint64_t hash) { return (hash >> 20) & 255; }
inline uint32_t SecondFingerprintOf(uint64_t hash) {
  return (hash >> 12) & 255;
}
inline int FastFractionOf(uint64_t hash) { return (hash >> 4) & 31; }

// A stage after the first.
struct Stage {
  int seed_shift;  // its masks derive from the first mask's 32 bits from here
                   // on
  // The lowest bit of the fingerprint's byte that the stage compares. Plane p
  // of g words compares the bit g * p places above it. The planes of the last
  // stage are halves; a probe over the whole line compares the sum of their
  // bits.
  int fingerprint_bit;
};
inline constexpr Stage kPairsStage = {0, 0};
inline constexpr Stage kFoursStage = {10, 1};
inline constexpr Stage kLastStage = {20, 3};

// In the word at place p of a plane, or of the whole line in the last stage, a
// stage's mask is the product of those 32 bits and kSpread[p], shifted up by
// this much: the middle of a product depends on all bits of both factors, its
// upper end on little more than their upper ends.
inline constexpr int kSpreadShift = 15;

// `parities` has one bit per word. The bit of the first word of each plane of
// `width` words (1, 2 or 4) becomes the plane's parity; all others become 0.
constexpr uint32_t FoldPlanes(uint32_t parities, int width) {
  parities &= 0xff;
  if (width == 1) return parities;
  parities ^= parities >> 1;
  if (width == 2) return parities & 0x55;
  return (parities ^ parities >> 2) & 0x11;
}

// In a line of `total` thirty-seconds, the columns below this bound belong to
// the stages that make up the first `probes` probes of each key: 2 to 5 columns
// fewer than those need, so that almost every column has a pivot. At most 31
// columns remain for the later stages; narrow fields build faster.
constexpr uint8_t BoundOf(int probes, int total) {
  const int bound = (kWordUnknowns * kPerProbe * probes / total - 2) & ~3;
  return static_cast<uint8_t>(std::max(32, bound));
}

// How the probes of a line are divided into stages.
struct SolvedPlan {
  uint8_t first_width;    // words per plane of the first stage: 1, 2 or 4
  uint8_t rounds;         // of the first stage
  uint8_t shared_probes;  // all but those of the last stage
  bool has_pairs;
  bool has_fours;
  // The first columns of the masks of the stage after each.
  uint8_t first_bound;
  uint8_t pairs_bound;
  uint8_t fours_bound;
  // The columns of the later stages' masks, as bits; none without the stage.
  uint64_t pairs_columns;
  uint64_t fours_columns;
  uint64_t last_columns;

  friend bool operator==(const SolvedPlan&, const SolvedPlan&) = default;
};

constexpr uint64_t ColumnsFrom(int bound) {
  return kUnknowns >> bound << bound;
}

constexpr SolvedPlan MakeSolvedPlan(int total) {
  const int whole = total / kPerProbe;
  SolvedPlan plan = {};
  plan.first_width = whole >= 8 ? 1 : whole >= 4 ? 2 : 4;
  plan.rounds = static_cast<uint8_t>(std::max(whole / 8, 1));
  int probes = plan.rounds * (kWordsPerLine / plan.first_width);
  plan.first_bound = BoundOf(probes, total);
  plan.has_pairs = plan.first_width == 1 && (whole & 4) != 0;
  if (plan.has_pairs) {
    probes += 4;
    plan.pairs_columns = ColumnsFrom(plan.first_bound);
  }
  plan.pairs_bound = BoundOf(probes, total);
  plan.has_fours = plan.first_width <= 2 && (whole & 2) != 0;
  if (plan.has_fours) {
    probes += 2;
    plan.fours_columns = ColumnsFrom(plan.pairs_bound);
  }
  plan.fours_bound = BoundOf(probes, total);
  plan.last_columns = ColumnsFrom(plan.fours_bound);
  plan.shared_probes = static_cast<uint8_t>(probes);
  return plan;
}

inline constexpr int kMaxTotal = UINT8_MAX + kMaxSolvedStep * kMaxHeader;

// A table: computing the divisions would make hits a third slower.
inline constexpr auto kSolvedPlans = [] {
  std::array<SolvedPlan, kMaxTotal + 1> plans = {};
  for (int total = kMinSolvedBase; total <= kMaxTotal; ++total) {
    plans[total] = MakeSolvedPlan(total);
  }
  return plans;
}();

// `total` comes from the line's header: thirty-seconds of a probe per key, at
// least kMinSolvedBase.
inline const SolvedPlan& SolvedPlanOf(int total) { return kSolvedPlans[total]; }

// The exact rate of a line: 2^-k, halved for the share of keys with one more
// probe.
double SolvedLineRate(int total);

}  // namespace linebloom
