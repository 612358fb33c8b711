#include "filter_policy/line/line.h"

#include <cmath>

#include "filter_policy/line/plain_probes.h"
#include "filter_policy/line/solved_probes.h"

namespace linebloom {

bool IsReadable(const LineShape& shape) {
  switch (shape.kind) {
    case Line::kPlain:
      return shape.probes >= 1 && shape.probes <= kMaxPlainProbes &&
             shape.base == 0 && shape.step == 0;
    case Line::kSolved:
      return shape.probes == 0 && shape.base >= kMinSolvedBase &&
             shape.step >= 1 && shape.step <= kMaxSolvedStep;
  }
  return false;
}

double SolvedLineRate(int total) {
  const int whole = total / kPerProbe;
  const int fraction = total % kPerProbe;
  return std::ldexp(2 * kPerProbe - fraction, -whole - 6);
}

}  // namespace linebloom
