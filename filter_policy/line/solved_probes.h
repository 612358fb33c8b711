// Which equations a hash stands for in a solved line: shared by building and
// probing, fixed by docs/format.md, "Solved lines", which explains them.
//
// A line is eight words of 63 unknown bits; the eighth bit of each byte 7 is a
// bit of the line's header. A probe of a key is an equation over GF(2): the
// parity of the unknowns under a mask of the key's equals a bit of the key's
// fingerprint. Its keys together have at most about 504 probes, so the line can
// be solved, and the header says how many that is for each key.
//
// A line of n keys has room for 504 / n probes a key. Those come in stages:
// whole rounds of one probe in each word, then 4 probes over a pair of words
// each, 2 over four words each, and at last up to 2 over the whole line. All
// probes of a stage but the last share their masks from plane to plane, so that
// one elimination solves all planes of the stage; and each later stage leaves
// the columns to the earlier ones that these need for their pivots, so that
// there is hardly anything to substitute between stages.
//
// Rejected: no stages between the first and the whole line (twice the time to
// build at 10 bits per key, four times at 16, without SIMD); more in
// docs/design.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "filter_policy/line/line.h"

namespace linebloom {

// Probes are counted in thirty-seconds, since a line has a fraction of a probe:
// that share of its keys has one more.
inline constexpr int kPerProbe = 32;

inline constexpr int kWordUnknowns = 63;
inline constexpr int kLineUnknowns = kWordsPerLine * kWordUnknowns;
inline constexpr uint64_t kUnknowns = ~uint64_t{0} >> 1;  // of a word

// Fewer probes than 2 a key are not solved. A header stands for at most
// 255 + 3 * 255 thirty-seconds.
inline constexpr int kLeastSolvedBase = 2 * kPerProbe;
inline constexpr int kMostSolvedStep = 3;
inline constexpr int kMostHeader = 255;

// Odd numbers with well-spread bits: xxHash's PRIME64_2, two of the usual
// multipliers of hash mixers, and 32-bit ones.
inline constexpr uint64_t kMaskMultiplier = 0xc2b2ae3d27d4eb4f;
inline constexpr uint64_t kPrintMultiplier = 0xd6e8feb86659fd93;
inline constexpr uint64_t kNextMaskMultiplier = 0x9fb21c651e98df25;
inline constexpr uint32_t kSpread[kWordsPerLine] = {
    0xfd7046c5, 0xef9c4c41, 0xe5b3a6d7, 0xdb4f0b91,
    0xcc9e2d53, 0xbf58476d, 0xb492b66f, 0xf1bbcdcb};

// The first mask of a key, of which the others are made, and its fingerprint.
inline uint64_t MaskOf(uint64_t hash) { return hash * kMaskMultiplier; }
inline uint64_t PrintOf(uint64_t hash) { return hash * kPrintMultiplier; }

// The mask of the next round, or of the next word of a probe over several
// words. Both halves of the product, since its low bits alone are linear in
// `mask` over GF(2), and the columns of two words would depend on each other.
inline uint64_t NextMask(uint64_t mask) {
  const auto product =
      static_cast<unsigned __int128>(mask) * kNextMaskMultiplier;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// 8 bits of the fingerprint for each round, 0 to 3.
inline uint32_t PrintOfRound(uint64_t print, int round) {
  return (print >> (56 - 8 * round)) & 255;
}

// A key has one probe more if this, 0 to 31, and the line's fraction come to a
// whole probe.
inline int FractionOf(uint64_t print) { return (print >> 27) & 31; }

// The later stages. Their masks are made of 32 bits of the key's first mask.
enum class Stage { kPairs, kFours, kWhole, kWholeAgain };

constexpr int kSeedShift[] = {0, 10, 20, 30};
// The lowest bit of the fingerprint's byte that a stage compares; plane p of g
// words takes the bit g * p places further.
constexpr int kPrintBit[] = {0, 1, 3, 7};

constexpr int SeedShift(Stage stage) {
  return kSeedShift[static_cast<int>(stage)];
}
constexpr int PrintBit(Stage stage) {
  return kPrintBit[static_cast<int>(stage)];
}

// Its mask in the word at place p of a plane is the product of those 32 bits
// and kSpread[p], this much further up: the middle of a product depends on all
// of both factors, its upper end on little more than their upper ends.
inline constexpr int kSpreadShift = 15;

// The bits of `parities`, one of each word, at the first word of every plane of
// `width` words (1, 2, 4 or 8) become the plane's parity; the others become 0.
constexpr uint32_t FoldPlanes(uint32_t parities, int width) {
  parities &= 0xff;
  if (width == 1) return parities;
  if (width == 8) return static_cast<uint32_t>(__builtin_parity(parities));
  parities ^= parities >> 1;
  if (width == 2) return parities & 0x55;
  return (parities ^ parities >> 2) & 0x11;
}

// Columns below it belong to the stages up to the one that ends with `probes`
// probes a key, where the line has `total` thirty-seconds: as many as those
// need, and 2 to 5 fewer, so that they find a pivot in almost all of them.
// Fields of at most 31 columns remain, which build faster.
constexpr uint8_t BoundOf(int probes, int total) {
  constexpr int kLeast = 32;
  const int bound = (kWordUnknowns * kPerProbe * probes / total - 2) & ~3;
  return static_cast<uint8_t>(std::max(kLeast, bound));
}

// How the probes of a line divide into stages.
struct SolvedPlan {
  uint8_t first_width;    // words of a plane of the first stage: 1, 2 or 4
  uint8_t rounds;         // of the first stage
  uint8_t shared_probes;  // of all stages but the last
  bool has_pairs;
  bool has_fours;
  // The columns from which on the next stage's masks reach.
  uint8_t first_bound;
  uint8_t pairs_bound;
  uint8_t fours_bound;

  friend bool operator==(const SolvedPlan&, const SolvedPlan&) = default;
};

constexpr SolvedPlan MakeSolvedPlan(int total) {
  const int whole = total / kPerProbe;
  SolvedPlan plan = {};
  plan.first_width = whole >= 8 ? 1 : whole >= 4 ? 2 : 4;
  plan.rounds = static_cast<uint8_t>(std::max(whole / 8, 1));
  int probes = plan.rounds * (kWordsPerLine / plan.first_width);
  plan.first_bound = BoundOf(probes, total);
  plan.has_pairs = plan.first_width == 1 && (whole & 4) != 0;
  if (plan.has_pairs) probes += 4;
  plan.pairs_bound = BoundOf(probes, total);
  plan.has_fours = plan.first_width <= 2 && (whole & 2) != 0;
  if (plan.has_fours) probes += 2;
  plan.fours_bound = BoundOf(probes, total);
  plan.shared_probes = static_cast<uint8_t>(probes);
  return plan;
}

inline constexpr int kMostTotal = UINT8_MAX + kMostSolvedStep * kMostHeader;

// A table, since a lookup of a present key would take a third longer with the
// divisions.
inline constexpr auto kSolvedPlans = [] {
  std::array<SolvedPlan, kMostTotal + 1> plans = {};
  for (int total = kLeastSolvedBase; total <= kMostTotal; ++total) {
    plans[total] = MakeSolvedPlan(total);
  }
  return plans;
}();

// `total` is what the line's header says, in thirty-seconds of a probe for each
// key; at least kLeastSolvedBase.
inline const SolvedPlan& SolvedPlanOf(int total) { return kSolvedPlans[total]; }

// The exact rate of a line: 2^-k, halved for the share of keys with one probe
// more.
double SolvedLineRate(int total);

}  // namespace linebloom
