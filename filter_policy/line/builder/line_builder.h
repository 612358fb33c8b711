// Builds one line from the hashes of its keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "filter_policy/line/builder/line_search.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line.h"

namespace linebloom {

// Builds the lines of one filter, one after another. Belongs to one thread.
class LineBuilder {
 public:
  // Plain lines of `probes` probes each, 1 to kMaxPlainProbes.
  static LineBuilder Plain(int probes,
                           const LineKernel& kernel = ChosenKernel());
  // Searched lines; the number of probes of each follows from how many keys it
  // has.
  static LineBuilder Searched(const SearchPlan& plan,
                              const LineKernel& kernel = ChosenKernel());

  // Writes the 64 bytes of the line of these keys and returns its exact
  // false-positive rate: the share of hashes that are asked of this line,
  // uniformly distributed and none of its keys', that it does not deny.
  // The bytes depend on the set of hashes, not on their order.
  double Build(std::span<const uint64_t> hashes, uint8_t* line);

  // What a reader must know to ask the lines that were built so far.
  const LineShape& shape() const { return shape_; }

 private:
  LineBuilder(const LineShape& shape, const LineKernel& kernel)
      : shape_(shape), kernel_(&kernel) {}

  double BuildPlain(std::span<const uint64_t> hashes, uint8_t* line) const;
  double BuildSearched(std::span<const uint64_t> hashes, uint8_t* line);

  LineShape shape_;
  const LineKernel* kernel_;
  std::optional<LineSearch> search_;  // of searched lines
};

// The exact rate of a finished plain line.
double PlainLineRate(const uint8_t* line, int probes,
                     const LineKernel& kernel = ChosenKernel());

}  // namespace linebloom
