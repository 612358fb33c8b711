// How certain a measured rate is.
#pragma once

#include <cstdint>

namespace linebloom::tools {

struct Interval {
  double low;
  double high;
};

// The 95 % Wilson score interval of a probability, which is right for rates
// near 0 too. [0, 1] without trials.
Interval WilsonInterval(uint64_t successes, uint64_t trials);

// The same of an expected number of rare, independent events, after `count`
// were seen: with unlimited trials.
Interval PoissonInterval(uint64_t count);

}  // namespace linebloom::tools
