#include "filter_policy/line/line_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "filter_policy/line/line_tables.inc"
#include "filter_policy/line/solved_probes.h"

namespace linebloom {
namespace {

using Loads = std::array<int32_t, kLinesPerGroup>;

int32_t Product(const Loads& a, const Loads& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0);
}

}  // namespace

// With x the bits of a code, the loads are `loads` + sum of x_i * gained_i, so
// the sum of their squares is a quadratic form in x. Each bit in turn doubles
// the codes for which it is known.
uint8_t ChooseCode(const SliceCounts& counts) {
  // Larger counts are of chosen keys, and would overflow.
  const auto keys = [&counts](uint32_t line, uint32_t slice) {
    return static_cast<int32_t>(std::min<size_t>(counts[line][slice], 1000));
  };
  Loads loads = {};
  std::array<Loads, kSlices> gained;  // by each line, if it exchanges the slice
  for (uint32_t slice = 0; slice < kSlices; ++slice) {
    for (uint32_t line = 0; line < kLinesPerGroup; ++line) {
      loads[line] += keys(line, slice);
      gained[slice][line] =
          keys(OtherLine(line, slice), slice) - keys(line, slice);
    }
  }
  std::array<int32_t, 1 << kSlices> squares = {};  // more than those of code 0
  for (size_t slice = 0; slice < kSlices; ++slice) {
    const size_t known = size_t{1} << slice;
    // What the slice adds to the squares of each known code.
    std::array<int32_t, 1 << kSlices> added;
    added[0] = 2 * Product(loads, gained[slice]) +
               Product(gained[slice], gained[slice]);
    for (size_t i = 0; i < slice; ++i) {
      const int32_t both = 2 * Product(gained[i], gained[slice]);
      for (size_t code = 0; code < size_t{1} << i; ++code) {
        added[code + (size_t{1} << i)] = added[code] + both;
      }
    }
    for (size_t code = 0; code < known; ++code) {
      squares[known + code] = squares[code] + added[code];
    }
  }
  // Not std::min_element, which compilers don't vectorize.
  int32_t least = squares[0];
  for (const int32_t square : squares) least = std::min(least, square);
  return static_cast<uint8_t>(std::ranges::find(squares, least) -
                              squares.begin());
}

LineBuilder::LineBuilder(const LineShape& shape, const LineKernel& kernel)
    : shape_(shape), kernel_(&kernel) {
  // Not make_unique: that would clear 100 KB for every filter, however small.
  if (shape.kind == Line::kSolved) space_.reset(new SolveSpace);
}

double LineBuilder::Build(std::span<const uint64_t> hashes, uint8_t* line) {
  if (shape_.kind == Line::kPlain) {
    std::fill_n(line, kLineBytes, 0);
    kernel_->add_to_plain_lines(shape_.base, hashes, 1, line);
    return kernel_->rate_of_plain_line(line, shape_.base);
  }
  const int header = kernel_->solve_line(shape_, hashes, space_.get(), line);
  return header == 0 ? 1.0 : SolvedLineRate(shape_.base + shape_.step * header);
}

// Integers only, so that the same keys give the same bytes on every CPU.
LineShape SolvedShape(uint64_t keys, uint32_t lines) {
  constexpr int64_t kPerKey = 256;
  constexpr int64_t kRoom = int64_t{kLineUnknowns} * kPerProbe * kPerKey;
  constexpr uint64_t kMaxMean = kMaxHeader;  // larger means change nothing
  const int64_t mean =
      static_cast<int64_t>(std::min(keys, kMaxMean * lines) * kPerKey / lines);
  // 16 times the standard deviation, which is the square root of the mean.
  const auto sixteen_sd =
      static_cast<int64_t>(std::sqrt(static_cast<double>(mean)));
  const int64_t most = mean + sixteen_sd * 16 * 11 / 2;
  const int64_t fewest =
      std::max(mean - sixteen_sd * 16 * 17 / 10, 8 * kPerKey);

  constexpr int64_t kReserve = 10;  // thirty-seconds, for unlucky lines
  LineShape shape;
  shape.base = static_cast<uint8_t>(std::clamp<int64_t>(
      kRoom / std::max(most, kPerKey) - kReserve, kMinSolvedBase, UINT8_MAX));
  const int64_t range = kRoom / fewest - shape.base;
  shape.step = static_cast<uint8_t>(std::clamp<int64_t>(
      (range + kMaxHeader - 1) / kMaxHeader, 1, kMaxSolvedStep));
  return shape;
}

int PlainProbes(uint32_t millibits) {
  const auto* const more =
      std::ranges::upper_bound(kPlainMillibitsForProbes, millibits);
  return static_cast<int>(more - std::begin(kPlainMillibitsForProbes)) + 1;
}

}  // namespace linebloom
