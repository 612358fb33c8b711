#include "filter_policy/line/builder/line_builder.h"

#include <algorithm>

#include "filter_policy/line/solved_probes.h"

namespace linebloom {

LineBuilder::LineBuilder(const LineShape& shape, const LineKernel& kernel)
    : shape_(shape), kernel_(&kernel) {
  // Not make_unique: that would clear 100 KB for every filter, however small.
  if (shape.kind == Line::kSolved) space_.reset(new SolveSpace);
}

double LineBuilder::Build(std::span<const uint64_t> hashes, uint8_t* line) {
  if (shape_.kind == Line::kPlain) {
    std::fill_n(line, kLineBytes, 0);
    kernel_->add_to_plain_lines(shape_.probes, hashes, 1, line);
    return kernel_->rate_of_plain_line(line, shape_.probes);
  }
  const int header = kernel_->solve_line(shape_, hashes, space_.get(), line);
  return header == 0 ? 1.0 : SolvedLineRate(shape_.base + shape_.step * header);
}

double LineBuilder::BuildGroup(std::span<const uint64_t> hashes, uint32_t lines,
                               uint32_t group, uint8_t* to, uint8_t* code) {
  SliceCounts counts = {};
  const uint32_t lines_here =
      std::min<uint32_t>(lines - kLinesPerGroup * group, kLinesPerGroup);
  for (const uint64_t hash : hashes) {
    uint8_t& count = counts[SliceOf(hash, lines) >> (64 - kSliceBits)];
    count += count < UINT8_MAX ? 1 : 0;
  }
  // The lines of a smaller group can't be exchanged.
  *code = lines_here < kLinesPerGroup ? 0 : kernel_->choose_code(counts);
  const auto line_of = [&](uint64_t hash) {
    return LineInGroup(SliceOf(hash, lines), *code);
  };
  // Counted two places further on: see GroupPartition.
  size_t starts[kLinesPerGroup + 2] = {};
  for (const uint64_t hash : hashes) ++starts[line_of(hash) + 2];
  for (int i = 1; i < kLinesPerGroup + 2; ++i) starts[i] += starts[i - 1];
  by_line_.resize(hashes.size());
  for (const uint64_t hash : hashes) {
    by_line_[starts[line_of(hash) + 1]++] = hash;
  }
  double sum_of_rates = 0;
  for (uint32_t line = 0; line < lines_here; ++line) {
    sum_of_rates += Build(
        {by_line_.data() + starts[line], by_line_.data() + starts[line + 1]},
        to + line * kLineBytes);
  }
  return sum_of_rates;
}

}  // namespace linebloom
