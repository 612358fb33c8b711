// The reference: what docs/format.md says, in plain C++. Every other kernel is
// tested against it.
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "filter_policy/line/hash.h"
#include "filter_policy/line/kernel/line_kernels.h"
#include "filter_policy/line/line_rate.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom {
namespace {

uint64_t LoadWord(const uint8_t* line, uint32_t word) {
  return LoadLittleEndian<uint64_t>(line + 8 * word);
}

uint32_t NextOf(uint32_t word, uint32_t words) {
  return word + 1 == words ? 0 : word + 1;
}

bool PlainMayMatch(const LineShape& shape, const uint8_t* line, uint64_t hash) {
  uint32_t word = PlainWindowOf(hash);
  uint64_t round = FirstRound(hash, 0);
  for (int i = 0; i < shape.probes; ++i, word = NextOf(word, kPlainWords)) {
    if (i == kPlainWords) round = SecondRound(round);
    if ((LoadWord(line, word) >> BitInWord(round, word) & 1) == 0) return false;
  }
  return true;
}

// The probes of a round in `count` of the 7 words of bits, from `window` on.
bool RoundMatches(const uint8_t* line, uint64_t round, uint32_t rotation,
                  uint32_t window, int count) {
  uint32_t word = window;
  for (int i = 0; i < count; ++i, word = NextOf(word, kSearchedWords)) {
    const uint32_t bit = (BitInWord(round, word + 1) + rotation) & 63;
    if ((LoadWord(line, word + 1) >> bit & 1) == 0) return false;
  }
  return true;
}

// The same for all 7 words. Without a branch for each: half the probes of a
// missing key match, which no CPU predicts.
bool WholeRoundMatches(const uint8_t* line, uint64_t round, uint32_t rotation) {
  uint64_t all = 1;
  for (uint32_t word = 1; word <= kSearchedWords; ++word) {
    all &= LoadWord(line, word) >> ((BitInWord(round, word) + rotation) & 63);
  }
  return all != 0;
}

bool SearchedMayMatch(const LineShape& shape, const uint8_t* line,
                      uint64_t hash) {
  const uint64_t seeds = LoadWord(line, 0);
  const int probes = static_cast<int>(seeds >> kSearchedProbesShift);
  const GroupAndWindow at = GroupAndWindowOf(hash);
  const uint32_t seed = seeds >> (kSeedBits * at.group) & (kSeeds - 1);
  const uint32_t rotation = SeedRotation(seed, shape.step);
  const uint64_t round = FirstRound(hash, SeedBase(seed, shape.step));
  if (probes < kSearchedWords) {  // 0 probes deny nothing
    return RoundMatches(line, round, rotation, at.window, probes);
  }
  if (!WholeRoundMatches(line, round, rotation)) {
    return probes == kReservedSearchedProbes;
  }
  return probes == kReservedSearchedProbes ||
         RoundMatches(line, SecondRound(round), rotation, at.window,
                      probes - kSearchedWords);
}

void AddToPlainLine(int probes, uint64_t hash, uint8_t* line) {
  uint32_t word = PlainWindowOf(hash);
  uint64_t round = FirstRound(hash, 0);
  for (int i = 0; i < probes; ++i, word = NextOf(word, kPlainWords)) {
    if (i == kPlainWords) round = SecondRound(round);
    const uint32_t bit = BitInWord(round, word);
    line[8 * word + bit / 8] |= static_cast<uint8_t>(1 << bit % 8);
  }
}

#include "filter_policy/line/kernel/line_kernel_entries.inc"
#include "filter_policy/line/kernel/line_kernel_search.inc"

}  // namespace

const LineKernel kScalarKernel = {"scalar",        kAskPlain,  kAskSearched,
                                  AddToPlainLines, RateOfLine, kSearchWords};

}  // namespace linebloom
