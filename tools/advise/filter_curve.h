// What filters of a kind take and let pass.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/advise/lookup_costs.h"

namespace linebloom::tools {

// From filters that a policy builds. Immutable.
class FilterCurve {
 public:
  static constexpr int kMaxBits = 20;

  // `option_string` makes a policy for `bits` per key, 1 to kMaxBits. Takes
  // some 20 ms.
  static absl::StatusOr<FilterCurve> Of(std::string (*option_string)(int bits));

  // The filter of a policy for `bits` per key, also fractions.
  FilterSize Requested(double bits, double keys) const;

  // The filter that takes `bits` per key, by the logarithm of the rates next to
  // it.
  FilterSize OfBits(double bits, double keys) const;

 private:
  struct Point {
    double bits;  // per key
    double rate;
  };
  std::vector<Point> points_;  // of 1, 2, ... requested bits
};

}  // namespace linebloom::tools
