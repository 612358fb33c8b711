// How sure a measured rate or count is.
#pragma once

#include <cstdint>

namespace linebloom::tools {

struct Interval {
  double low;
  double high;
};

// The 95 % Wilson score interval of a probability that was seen to come true in
// `successes` of `trials` independent trials. [0, 1] for no trials. Unlike the
// plain normal interval it is right for rates near 0, of which a good filter's
// rate is one.
Interval WilsonInterval(uint64_t successes, uint64_t trials);

// The 95 % score interval of the expected number of events of which `count`
// were seen: the same with no limit to the trials. For rare, independent
// events; it is wider than need be for others.
Interval PoissonInterval(uint64_t count);

}  // namespace linebloom::tools
