// The search for the seeds of one line.
//
// The keys of a line are in 10 groups. Each group has a seed of 6 bits, and
// each seed stands for another pattern of bits that the group would set. The
// search chooses the seeds so that the whole line has as few bits set as it
// can find; how it searches is the builder's business alone, a reader only
// needs the seeds.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line_probes.h"

namespace linebloom {

// How much search a line gets.
struct SearchPlan {
  // How many of a seed's bits rotate, 0 to 6. Fewer means more patterns to
  // make (2^(6 - rotation_bits) for every key) and slightly fewer bits set.
  uint8_t rotation_bits = 3;
  // How many partial choices are kept while going over the groups, 1 to 256.
  int beam = 1;
  // How often each group's seed is chosen again with all others in place.
  int rounds = 1;

  friend bool operator==(const SearchPlan&, const SearchPlan&) = default;
};

// The seven words of bits of a searched line.
using LineBits = std::array<uint64_t, kSearchedWords>;

// What the search found.
struct FoundLine {
  std::array<uint8_t, kGroups> seeds{};
  LineBits bits{};
};

// Holds the memory that one search after another needs. Belongs to one thread.
class LineSearch {
 public:
  explicit LineSearch(const SearchPlan& plan,
                      const LineKernel& kernel = ChosenKernel());

  // Finds seeds for keys with these hashes and `probes` probes each (1 to
  // kMaxSearchedProbes). Every kernel finds the same.
  FoundLine Find(std::span<const uint64_t> hashes, int probes);

 private:
  LineBits Pattern(int group, uint32_t seed) const;
  FoundLine FindGreedily() const;
  FoundLine FindInBeam();
  void ExtendBeam(int group);
  void KeepStep(uint32_t step);
  void ChooseAgain(FoundLine* line) const;

  SearchPlan plan_;
  SearchFunctions kernel_;
  PatternTable patterns_;
  std::vector<FoundLine> beam_;
  std::vector<FoundLine> next_beam_;
  std::vector<uint32_t> steps_;
};

}  // namespace linebloom
