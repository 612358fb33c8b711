// How sure a measured rate is.
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

}  // namespace linebloom::tools
