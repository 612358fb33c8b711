// Builds one line from the hashes of its keys.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line.h"

namespace linebloom {

// Builds the lines of one filter, one after another. Belongs to one thread.
class LineBuilder {
 public:
  // `shape` is one that IsReadable.
  explicit LineBuilder(const LineShape& shape,
                       const LineKernel& kernel = ChosenKernel());

  // Writes the 64 bytes of the line of these keys and returns its exact
  // false-positive rate: the share of uniformly distributed hashes of this line
  // but not of its keys that it does not reject.
  // The bytes depend on the hashes, not on their order.
  double Build(std::span<const uint64_t> hashes, uint8_t* line);

 private:
  LineShape shape_;
  const LineKernel* kernel_;
  std::unique_ptr<SolveSpace> space_;  // of solved lines
};

}  // namespace linebloom
