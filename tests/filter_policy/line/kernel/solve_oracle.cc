#include "tests/filter_policy/line/kernel/solve_oracle.h"

#include <algorithm>
#include <utility>

#include "filter_policy/line/solved_probes.h"

namespace linebloom {
namespace {

bool BitOf(uint64_t word, int bit) { return (word >> bit & 1) != 0; }

// The first column of the stage after one that ends with `probes` probes.
int ColumnAfter(int probes, int total) {
  return std::max(32, (63 * 32 * probes / total - 2) / 4 * 4);
}

// Adds the probes of a stage, one per plane. A plane has as many words as there
// are masks, which start at `column`. The right-hand side of the first plane is
// the lowest bit of `fingerprint`, and each further plane's is that many bits
// higher.
void AddPlanes(const std::vector<uint64_t>& masks, int column,
               uint32_t fingerprint, std::vector<Equation>* equations) {
  const int width = static_cast<int>(masks.size());
  for (int first = 0; first < 8; first += width) {
    Equation equation;
    for (int i = 0; i < width; ++i) {
      for (int c = column; c < 63; ++c) {
        equation.mask[64 * (first + i) + c] = BitOf(masks[i], c);
      }
    }
    equation.parity = BitOf(fingerprint, first);
    equations->push_back(equation);
  }
}

// The masks of a later stage, from 32 bits of the first mask starting at
// `shift`.
std::vector<uint64_t> MasksOfSeed(uint64_t mask, int shift, int width) {
  const uint64_t seed = mask >> shift & 0xffffffff;
  std::vector<uint64_t> masks;
  for (int i = 0; i < width; ++i) masks.push_back(seed * kSpread[i] << 15);
  return masks;
}

}  // namespace

std::vector<Equation> EquationsOf(uint64_t hash, int total) {
  const uint64_t fingerprint = FingerprintOf(hash);
  const uint64_t mask = MaskOf(hash);
  const int least = total / 32;
  const int probes = (total + static_cast<int>(fingerprint >> 40 & 31)) / 32;
  const int width = least >= 8 ? 1 : least >= 4 ? 2 : 4;
  const int rounds = std::max(least / 8, 1);
  std::vector<Equation> equations;
  constexpr int kByteAt[] = {56, 48, 28, 20};
  int byte = 0;  // of the fingerprint
  uint64_t next = mask;
  for (; byte < rounds; ++byte) {
    const auto bits = static_cast<uint32_t>(fingerprint >> kByteAt[byte] & 255);
    std::vector<uint64_t> masks;
    for (int i = 0; i < width; ++i, next = NextMask(next)) {
      masks.push_back(next);
    }
    // The right-hand side of a plane is the parity of its words' bits.
    uint32_t folded = 0;
    for (int w = 0; w < 8; ++w) {
      folded ^= (bits >> w & 1) << (w - w % width);
    }
    AddPlanes(masks, 0, folded, &equations);
  }
  const auto bits = static_cast<uint32_t>(fingerprint >> kByteAt[byte] & 255);
  int done = rounds * 8 / width;
  if (least - done >= 4) {
    AddPlanes(MasksOfSeed(mask, 0, 2), ColumnAfter(done, total), bits,
              &equations);
    done += 4;
  }
  if (least - done >= 2) {
    AddPlanes(MasksOfSeed(mask, 10, 4), ColumnAfter(done, total), bits >> 1,
              &equations);
    done += 2;
  }
  const int column = ColumnAfter(done, total);
  if (probes == done) return equations;
  std::vector<Equation> whole;
  AddPlanes(MasksOfSeed(mask, 20, 8), column, (bits >> 3 ^ bits >> 7) & 1,
            &whole);
  if (probes == done + 1) {
    equations.push_back(whole[0]);
    return equations;
  }
  // One for each half, which add up to that.
  Equation low = whole[0];
  for (size_t bit = low.mask.size() / 2; bit < low.mask.size(); ++bit) {
    low.mask[bit] = false;
  }
  low.parity = BitOf(bits, 3);
  equations.push_back(low);
  equations.push_back({whole[0].mask ^ low.mask, BitOf(bits, 7)});
  return equations;
}

std::vector<Equation> EquationsOf(std::span<const uint64_t> hashes, int total) {
  std::vector<Equation> all;
  for (const uint64_t hash : hashes) {
    const std::vector<Equation> equations = EquationsOf(hash, total);
    all.insert(all.end(), equations.begin(), equations.end());
  }
  return all;
}

bool Holds(const Equation& equation, const uint8_t* line) {
  bool parity = false;
  for (size_t bit = 0; bit < equation.mask.size(); ++bit) {
    parity ^= equation.mask[bit] && BitOf(line[bit / 8], bit % 8);
  }
  return parity == equation.parity;
}

bool HaveSolution(std::vector<Equation> equations) {
  size_t solved = 0;
  for (size_t column = 0; column < 8 * kLineBytes; ++column) {
    size_t pivot = solved;
    while (pivot < equations.size() && !equations[pivot].mask[column]) ++pivot;
    if (pivot == equations.size()) continue;
    std::swap(equations[solved], equations[pivot]);
    for (size_t i = pivot + 1; i < equations.size(); ++i) {
      if (!equations[i].mask[column]) continue;
      equations[i].mask ^= equations[solved].mask;
      equations[i].parity ^= equations[solved].parity;
    }
    ++solved;
  }
  // The remaining equations say 0 = parity.
  return std::none_of(equations.begin() + solved, equations.end(),
                      [](const Equation& left) { return left.parity; });
}

}  // namespace linebloom
