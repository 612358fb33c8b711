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

}  // namespace linebloom
