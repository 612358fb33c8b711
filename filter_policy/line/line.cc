#include "filter_policy/line/line.h"

#include <cmath>

#include "filter_policy/line/solved_probes.h"

namespace linebloom {
bool IsReadable(const LineShape& shape) {
  return shape.kind == LineKind::kSolved && shape.base >= kMinSolvedBase &&
         shape.step >= 1 && shape.step <= kMaxSolvedStep;
}

double SolvedLineRate(int total) {
  const int whole = total / kPerProbe;
  const int fraction = total % kPerProbe;
  return std::ldexp(2 * kPerProbe - fraction, -whole - 6);
}

double RateOfLine(const LineShape& shape, const uint8_t* line) {
  int header = 0;
  for (int w = 0; w < kWordsPerLine; ++w) {
    header |= line[8 * w + 7] >> 7 << w;
  }
  return header == 0 ? 1 : SolvedLineRate(shape.base + shape.step * header);
}

}  // namespace linebloom
