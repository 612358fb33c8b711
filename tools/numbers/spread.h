// The median and the extremes of repeated measurements.
#pragma once

#include <vector>

namespace linebloom::tools {

struct Spread {
  double least = 0;
  double median = 0;
  double most = 0;
};

// The spread of `values`, in any order; all 0 if there are none. The median of
// an even number of values is the mean of the middle two.
Spread SpreadOf(std::vector<double> values);

}  // namespace linebloom::tools
