// How certain a measured rate is.
#pragma once

#include <cstdint>

namespace linebloom::tools {

struct Interval {
  double low;
  double high;
};

// The 95 % interval of the expected number of rare, independent events, after
// `count` were seen: Wilson's with unlimited trials.
Interval PoissonInterval(uint64_t count);

}  // namespace linebloom::tools
