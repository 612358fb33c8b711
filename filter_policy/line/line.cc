#include "filter_policy/line/line.h"

#include <bit>
#include <cmath>

#include "filter_policy/line/little_endian.h"
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

LineContents ReadLine(const LineShape& shape, const uint8_t* line) {
  LineContents contents;
  contents.bits = kLineUnknowns;
  for (int w = 0; w < kWordsPerLine; ++w) {
    const auto word = LoadLittleEndian<uint64_t>(line + 8 * w);
    contents.bits_set += std::popcount(word & kUnknowns);
    contents.header |= static_cast<int>(word >> 63) << w;
  }
  if (contents.header == 0) return contents;
  const int total = shape.base + shape.step * contents.header;
  contents.probes = static_cast<double>(total) / kPerProbe;
  contents.rate = SolvedLineRate(total);
  return contents;
}

}  // namespace linebloom
