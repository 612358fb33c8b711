#include "filter_policy/line/builder/line_builder.h"

#include <algorithm>
#include <array>

#include "filter_policy/line/builder/probe_count.h"
#include "filter_policy/line/line_probes.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom {

LineBuilder LineBuilder::Plain(int probes, const LineKernel& kernel) {
  return LineBuilder({LineKind::kPlain, static_cast<uint8_t>(probes)}, kernel);
}

LineBuilder LineBuilder::Searched(const SearchPlan& plan,
                                  const LineKernel& kernel) {
  LineBuilder builder({LineKind::kSolved, 0, 64, plan.rotation_bits}, kernel);
  builder.search_.emplace(plan, kernel);
  return builder;
}

double LineBuilder::Build(std::span<const uint64_t> hashes, uint8_t* line) {
  return shape_.kind == LineKind::kPlain ? BuildPlain(hashes, line)
                                         : BuildSearched(hashes, line);
}

double LineBuilder::BuildPlain(std::span<const uint64_t> hashes,
                               uint8_t* line) const {
  std::fill_n(line, kLineBytes, 0);
  kernel_->add_to_plain_lines(shape_.probes, hashes, 1, line);
  return PlainLineRate(line, shape_.probes, *kernel_);
}

double LineBuilder::BuildSearched(std::span<const uint64_t> hashes,
                                  uint8_t* line) {
  const int probes = SearchedProbes(hashes.size());
  const FoundLine found = search_->Find(hashes, probes);
  uint64_t seeds = static_cast<uint64_t>(probes) << kSearchedProbesShift;
  for (int g = 0; g < kGroups; ++g) {
    seeds |= uint64_t{found.seeds[g]} << (kSeedBits * g);
  }
  StoreLittleEndian(line, seeds);
  for (int w = 0; w < kSearchedWords; ++w) {
    StoreLittleEndian(line + 8 * (w + 1), found.bits[w]);
  }
  return kernel_->rate_of_line(found.bits, probes);
}

double PlainLineRate(const uint8_t* line, int probes,
                     const LineKernel& kernel) {
  std::array<uint64_t, kPlainWords> words;
  for (int w = 0; w < kPlainWords; ++w) {
    words[w] = LoadLittleEndian<uint64_t>(line + 8 * w);
  }
  return kernel.rate_of_line(words, probes);
}

}  // namespace linebloom
