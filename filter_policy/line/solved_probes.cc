#include "filter_policy/line/solved_probes.h"

#include <cmath>

namespace linebloom {

double SolvedLineRate(int total) {
  const int whole = total / kPerProbe;
  const int fraction = total % kPerProbe;
  return std::ldexp(2 * kPerProbe - fraction, -whole - 6);
}

}  // namespace linebloom
