#include "filter_policy/line_search.h"

#include <algorithm>
#include <bit>

namespace linebloom {
namespace {

LineBits Rotated(const LineBits& bits, uint32_t rotation) {
  LineBits rotated;
  for (int w = 0; w < kSearchedWords; ++w) {
    rotated[w] = std::rotl(bits[w], static_cast<int>(rotation));
  }
  return rotated;
}

// The number of bits that are set once `pattern`, rotated, joins `bits`.
inline uint32_t CountJoined(const LineBits& bits, const LineBits& pattern,
                            uint32_t rotation) {
  uint32_t count = 0;
  for (int w = 0; w < kSearchedWords; ++w) {
    count += std::popcount(bits[w] |
                           std::rotl(pattern[w], static_cast<int>(rotation)));
  }
  return count;
}

void Join(const LineBits& pattern, LineBits* bits) {
  for (int w = 0; w < kSearchedWords; ++w) (*bits)[w] |= pattern[w];
}

void AddKey(uint64_t hash, uint32_t window, uint32_t base, int probes,
            LineBits* bits) {
  uint64_t round = FirstRound(hash, base);
  uint32_t word = window;
  for (int i = 0; i < probes; ++i, word = (word + 1) % kSearchedWords) {
    if (i == kSearchedWords) round = SecondRound(round);
    (*bits)[word] |= uint64_t{1} << BitInWord(round, word + 1);
  }
}

}  // namespace

LineSearch::LineSearch(const SearchPlan& plan)
    : plan_(plan),
      bases_(1u << (kSeedBits - plan.rotation_bits)),
      patterns_(kGroups * bases_) {}

void LineSearch::MakePatterns(std::span<const uint64_t> hashes, int probes) {
  std::fill(patterns_.begin(), patterns_.end(), LineBits{});
  for (const uint64_t hash : hashes) {
    const GroupAndWindow at = GroupAndWindowOf(hash);
    for (uint32_t base = 0; base < bases_; ++base) {
      AddKey(hash, at.window, base, probes,
             &patterns_[at.group * bases_ + base]);
    }
  }
}

FoundLine LineSearch::Find(std::span<const uint64_t> hashes, int probes) {
  MakePatterns(hashes, probes);
  beam_.assign(1, FoundLine{});
  for (int group = 0; group < kGroups; ++group) ExtendBeam(group);
  FoundLine found = beam_.front();
  for (int round = 0; round < plan_.rounds; ++round) {
    for (int group = 0; group < kGroups; ++group) ChooseAgain(group, &found);
  }
  return found;
}

// Candidates are numbers: bits set, then the place in the beam, then the seed.
// So their order is total, and every CPU keeps the same ones.
void LineSearch::ExtendBeam(int group) {
  candidates_.clear();
  for (size_t i = 0; i < beam_.size(); ++i) {
    for (uint32_t seed = 0; seed < kSeeds; ++seed) {
      const uint32_t count = CountJoined(
          beam_[i].bits,
          patterns_[group * bases_ + SeedBase(seed, plan_.rotation_bits)],
          SeedRotation(seed, plan_.rotation_bits));
      candidates_.push_back(count << 16 |
                            static_cast<uint32_t>(i) << kSeedBits | seed);
    }
  }
  const size_t keep = std::min<size_t>(plan_.beam, candidates_.size());
  std::partial_sort(candidates_.begin(), candidates_.begin() + keep,
                    candidates_.end());
  next_beam_.clear();
  for (size_t i = 0; i < keep; ++i) {
    const uint32_t seed = candidates_[i] % kSeeds;
    FoundLine line = beam_[(candidates_[i] & 0xffff) >> kSeedBits];
    line.seeds[group] = static_cast<uint8_t>(seed);
    Join(
        Rotated(patterns_[group * bases_ + SeedBase(seed, plan_.rotation_bits)],
                SeedRotation(seed, plan_.rotation_bits)),
        &line.bits);
    next_beam_.push_back(line);
  }
  beam_.swap(next_beam_);
}

void LineSearch::ChooseAgain(int group, FoundLine* line) const {
  LineBits others{};
  for (int g = 0; g < kGroups; ++g) {
    if (g == group) continue;
    const uint32_t seed = line->seeds[g];
    Join(Rotated(patterns_[g * bases_ + SeedBase(seed, plan_.rotation_bits)],
                 SeedRotation(seed, plan_.rotation_bits)),
         &others);
  }
  uint32_t best = ~0u;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const uint32_t count = CountJoined(
        others, patterns_[group * bases_ + SeedBase(seed, plan_.rotation_bits)],
        SeedRotation(seed, plan_.rotation_bits));
    best = std::min(best, count << kSeedBits | seed);
  }
  const uint32_t seed = best % kSeeds;
  line->seeds[group] = static_cast<uint8_t>(seed);
  line->bits = others;
  Join(Rotated(patterns_[group * bases_ + SeedBase(seed, plan_.rotation_bits)],
               SeedRotation(seed, plan_.rotation_bits)),
       &line->bits);
}

}  // namespace linebloom
