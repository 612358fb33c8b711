#include "filter_policy/line_builder.h"

#include <algorithm>
#include <array>

#include "filter_policy/line_probes.h"
#include "filter_policy/line_rate.h"
#include "filter_policy/sizing.h"
#include "table/little_endian.h"

namespace linebloom {

LineBuilder LineBuilder::Plain(int probes) {
  return LineBuilder({LineKind::kPlain, static_cast<uint8_t>(probes), 0});
}

LineBuilder LineBuilder::Searched(const SearchPlan& plan) {
  // One probe is the least that any line has; Build raises it.
  LineBuilder builder({LineKind::kSearched, 1, plan.rotation_bits});
  builder.search_.emplace(plan);
  return builder;
}

double LineBuilder::Build(std::span<const uint64_t> hashes, uint8_t* line) {
  return shape_.kind == LineKind::kPlain ? BuildPlain(hashes, line)
                                         : BuildSearched(hashes, line);
}

double LineBuilder::BuildPlain(std::span<const uint64_t> hashes,
                               uint8_t* line) const {
  std::array<uint64_t, kPlainWords> words{};
  for (const uint64_t hash : hashes) {
    uint32_t word = PlainWindowOf(hash);
    uint64_t round = FirstRound(hash, 0);
    for (int i = 0; i < shape_.probes; ++i, word = (word + 1) % kPlainWords) {
      if (i == kPlainWords) round = SecondRound(round);
      words[word] |= uint64_t{1} << BitInWord(round, word);
    }
  }
  for (int w = 0; w < kPlainWords; ++w) {
    StoreLittleEndian(line + 8 * w, words[w]);
  }
  return LineRate(words, shape_.probes);
}

double LineBuilder::BuildSearched(std::span<const uint64_t> hashes,
                                  uint8_t* line) {
  const int probes = SearchedProbes(hashes.size());
  shape_.probes = std::max(shape_.probes, static_cast<uint8_t>(probes));
  const FoundLine found = search_->Find(hashes, probes);
  uint64_t seeds = static_cast<uint64_t>(probes) << kSearchedProbesShift;
  for (int g = 0; g < kGroups; ++g) {
    seeds |= uint64_t{found.seeds[g]} << (kSeedBits * g);
  }
  StoreLittleEndian(line, seeds);
  for (int w = 0; w < kSearchedWords; ++w) {
    StoreLittleEndian(line + 8 * (w + 1), found.bits[w]);
  }
  return LineRate(found.bits, probes);
}

}  // namespace linebloom
