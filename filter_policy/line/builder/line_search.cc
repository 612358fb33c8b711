#include "filter_policy/line/builder/line_search.h"

#include <algorithm>
#include <bit>

namespace linebloom {
namespace {

void Join(const LineBits& pattern, LineBits* bits) {
  for (int w = 0; w < kSearchedWords; ++w) (*bits)[w] |= pattern[w];
}

uint8_t SeedOf(Candidate candidate) {
  return static_cast<uint8_t>(candidate % kSeeds);
}

}  // namespace

LineSearch::LineSearch(const SearchPlan& plan, const LineKernel& kernel)
    : plan_(plan), kernel_(kernel.search), patterns_(plan.rotation_bits) {}

FoundLine LineSearch::Find(std::span<const uint64_t> hashes, int probes) {
  kernel_.make_patterns(hashes, probes, &patterns_);
  FoundLine found = plan_.beam == 1 ? FindGreedily() : FindInBeam();
  for (int round = 0; round < plan_.rounds; ++round) ChooseAgain(&found);
  return found;
}

LineBits LineSearch::Pattern(int group, uint32_t seed) const {
  const uint64_t* row =
      patterns_.Group(group) + SeedBase(seed, patterns_.rotation_bits());
  const int rotation =
      static_cast<int>(SeedRotation(seed, patterns_.rotation_bits()));
  LineBits pattern;
  for (uint64_t& word : pattern) {
    word = std::rotl(*row, rotation);
    row += patterns_.stride();
  }
  return pattern;
}

FoundLine LineSearch::FindGreedily() const {
  FoundLine line;
  for (int group = 0; group < kGroups; ++group) {
    line.seeds[group] =
        SeedOf(kernel_.best_candidate(line.bits.data(), patterns_, group));
    Join(Pattern(group, line.seeds[group]), &line.bits);
  }
  return line;
}

FoundLine LineSearch::FindInBeam() {
  beam_.assign(1, FoundLine{});
  for (int group = 0; group < kGroups; ++group) ExtendBeam(group);
  return beam_.front();
}

// A step is a number: bits set, then the place in the beam, then the seed. So
// their order is total, and every kernel keeps the same ones.
void LineSearch::ExtendBeam(int group) {
  steps_.clear();
  for (uint32_t i = 0; i < beam_.size(); ++i) {
    std::array<Candidate, kSeeds> candidates;
    kernel_.all_candidates(beam_[i].bits.data(), patterns_, group,
                           candidates.data());
    for (const uint32_t candidate : candidates) {
      KeepStep(candidate >> kSeedBits << 16 | i << kSeedBits |
               candidate % kSeeds);
    }
  }
  next_beam_.clear();
  for (const uint32_t step : steps_) {
    FoundLine line = beam_[(step & 0xffff) >> kSeedBits];
    line.seeds[group] = static_cast<uint8_t>(step % kSeeds);
    Join(Pattern(group, line.seeds[group]), &line.bits);
    next_beam_.push_back(line);
  }
  beam_.swap(next_beam_);
}

// Keeps the `beam` least steps in order. The beam is sorted, so after the first
// parent few steps get in.
void LineSearch::KeepStep(uint32_t step) {
  if (steps_.size() == static_cast<size_t>(plan_.beam)) {
    if (step > steps_.back()) return;
    steps_.pop_back();
  }
  steps_.insert(std::upper_bound(steps_.begin(), steps_.end(), step), step);
}

// Goes over the groups once; each group's others are those before it, which may
// have changed, and those behind it, which have not.
void LineSearch::ChooseAgain(FoundLine* line) const {
  std::array<LineBits, kGroups + 1> behind{};  // the groups from i on
  for (int group = kGroups - 1; group > 0; --group) {
    behind[group] = Pattern(group, line->seeds[group]);
    Join(behind[group + 1], &behind[group]);
  }
  LineBits before{};
  for (int group = 0; group < kGroups; ++group) {
    LineBits others = before;
    Join(behind[group + 1], &others);
    line->seeds[group] =
        SeedOf(kernel_.best_candidate(others.data(), patterns_, group));
    Join(Pattern(group, line->seeds[group]), &before);
  }
  line->bits = before;
}

}  // namespace linebloom
