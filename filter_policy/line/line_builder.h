// Builds lines from the hashes of their keys, and chooses their shape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line.h"

namespace linebloom {

// The keys of a group, by line and slice before they are exchanged.
using SliceCounts = std::array<std::array<size_t, kSlices>, kLinesPerGroup>;

// The first of the codes that leave the lines of a group with the least sum of
// squared loads. More than 1,000 keys in a slice count as 1,000.
uint8_t ChooseCode(const SliceCounts& counts);

// Builds the lines of one filter, one after another. Belongs to one thread.
class LineBuilder {
 public:
  // `shape` must be readable (IsReadable).
  explicit LineBuilder(const LineShape& shape,
                       const LineKernel& kernel = ChosenKernel());

  // Writes the 64 bytes of the line for these keys and returns its exact
  // false-positive rate: the share of the line's uniformly distributed hashes,
  // other than its keys', that it fails to reject. The bytes depend on the set
  // of hashes, not on their order.
  double Build(std::span<const uint64_t> hashes, uint8_t* line);

 private:
  LineShape shape_;
  const LineKernel* kernel_;
  std::unique_ptr<SolveSpace> space_;  // for solved lines only
};

// The shape for `keys` keys in `lines` lines (more than 0). The number of keys
// per line is Poisson distributed. The smallest header fits lines 5.5 standard
// deviations above the mean, one in 10^7, and the largest one lines 1.7 below
// it, one in 25. Fuller lines match everything; emptier ones have fewer probes
// than they have room for. Both cost less than coarser steps would.
LineShape SolvedShape(uint64_t keys, uint32_t lines);

// The number of probes, 1 to kMaxPlainProbes, with the lowest rate at
// `millibits` thousandths of a bit per key. The table comes from
// filter_policy/line/line_tables.cc.
int PlainProbes(uint32_t millibits);

}  // namespace linebloom
