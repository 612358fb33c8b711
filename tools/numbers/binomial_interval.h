// How certain a measured rate or count is.
#pragma once

#include <cstdint>

namespace linebloom::tools {

struct Interval {
  double low;
  double high;
};

// The 95 % Wilson score interval of a probability, after `successes` in
// `trials` independent trials. [0, 1] without trials. Unlike the simple normal
// interval, it is right for rates near 0, such as those of good filters.
Interval WilsonInterval(uint64_t successes, uint64_t trials);

// The 95 % score interval of the expected number of events after `count` were
// seen: the same with unlimited trials. For rare, independent events; wider
// than necessary for others.
Interval PoissonInterval(uint64_t count);

}  // namespace linebloom::tools
