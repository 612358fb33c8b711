#include "filter_policy/line/line.h"

#include <cmath>

#include "filter_policy/line/plain_probes.h"
#include "filter_policy/line/solved_probes.h"

namespace linebloom {

bool IsReadable(const LineShape& shape) {
  switch (shape.kind) {
    case Line::kPlain:
      return shape.base >= 1 && shape.base <= kMaxPlainProbes &&
             shape.step == 0;
    case Line::kSolved:
      return shape.base >= kMinSolvedBase && shape.step >= 1 &&
             shape.step <= kMaxSolvedStep;
  }
  return false;
}

double SolvedLineRate(int total) {
  const int whole = total / kPerProbe;
  const int fraction = total % kPerProbe;
  return std::ldexp(2 * kPerProbe - fraction, -whole - 6);
}

}  // namespace linebloom
