#include "filter_policy/line.h"

#include "filter_policy/line_probes.h"
#include "table/little_endian.h"

namespace linebloom {
namespace {

uint64_t LoadWord(const uint8_t* line, uint32_t word) {
  return LoadLittleEndian<uint64_t>(line + 8 * word);
}

bool PlainMayMatch(int probes, const uint8_t* line, uint64_t hash) {
  uint32_t word = PlainWindowOf(hash);
  uint64_t round = FirstRound(hash, 0);
  for (int i = 0; i < probes; ++i, word = (word + 1) % kPlainWords) {
    if (i == kPlainWords) round = SecondRound(round);
    if ((LoadWord(line, word) >> BitInWord(round, word) & 1) == 0) return false;
  }
  return true;
}

bool SearchedMayMatch(const LineShape& shape, const uint8_t* line,
                      uint64_t hash) {
  const uint64_t seeds = LoadWord(line, 0);
  const int probes = static_cast<int>(seeds >> kSearchedProbesShift);
  // No builder writes such a line: an answer that denies nothing.
  if (probes == 0 || probes > shape.probes) return true;
  const GroupAndWindow at = GroupAndWindowOf(hash);
  const uint32_t seed = seeds >> (kSeedBits * at.group) & (kSeeds - 1);
  const uint32_t rotation = SeedRotation(seed, shape.rotation_bits);
  uint64_t round = FirstRound(hash, SeedBase(seed, shape.rotation_bits));
  uint32_t word = at.window;
  for (int i = 0; i < probes; ++i, word = (word + 1) % kSearchedWords) {
    if (i == kSearchedWords) round = SecondRound(round);
    const uint32_t bit = (BitInWord(round, word + 1) + rotation) & 63;
    if ((LoadWord(line, word + 1) >> bit & 1) == 0) return false;
  }
  return true;
}

}  // namespace

bool IsReadable(const LineShape& shape) {
  switch (shape.kind) {
    case LineKind::kPlain:
      return shape.probes >= 1 && shape.probes <= kMaxPlainProbes &&
             shape.rotation_bits == 0;
    case LineKind::kSearched:
      return shape.probes >= 1 && shape.probes <= kMaxSearchedProbes &&
             shape.rotation_bits <= kSeedBits;
  }
  return false;
}

bool LineMayMatch(const LineShape& shape, const uint8_t* line, uint64_t hash) {
  if (shape.kind == LineKind::kPlain) {
    return PlainMayMatch(shape.probes, line, hash);
  }
  return SearchedMayMatch(shape, line, hash);
}

}  // namespace linebloom
