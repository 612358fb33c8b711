#include "filter_policy/line/line.h"

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "filter_policy/line/little_endian.h"
#include "filter_policy/line/plain_probes.h"
#include "filter_policy/line/solved_probes.h"

namespace linebloom {
namespace {

uint64_t LoadWord(const uint8_t* line, int word) {
  return LoadLittleEndian<uint64_t>(line + 8 * word);
}

LineContents ReadPlainLine(int probes, const uint8_t* line) {
  std::array<int, kWordsPerLine> bits_set;
  for (int w = 0; w < kWordsPerLine; ++w) {
    bits_set[w] = std::popcount(LoadWord(line, w));
  }
  LineContents contents;
  contents.probes = probes;
  contents.rate = PlainLineRate(bits_set, probes);
  contents.bits_set = std::accumulate(bits_set.begin(), bits_set.end(), 0);
  contents.bits = static_cast<int>(8 * kLineBytes);
  return contents;
}

LineContents ReadSolvedLine(const LineShape& shape, const uint8_t* line) {
  LineContents contents;
  contents.bits = kLineUnknowns;
  for (int w = 0; w < kWordsPerLine; ++w) {
    const uint64_t word = LoadWord(line, w);
    contents.bits_set += std::popcount(word & kUnknowns);
    contents.header |= static_cast<int>(word >> 63) << w;
  }
  if (contents.header == 0) return contents;
  const int total = shape.base + shape.step * contents.header;
  contents.probes = static_cast<double>(total) / kPerProbe;
  contents.rate = SolvedLineRate(total);
  return contents;
}

}  // namespace

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

// Multiplies the numbers of bits, and scales the product by a power of two
// last: fusing that with the addition changes nothing. Rejected: the flag
// -ffp-contract=off, which RocksDB's own build would have to be given too.
double PlainLineRate(const std::array<int, kWordsPerLine>& bits_set,
                     int probes) {
  double whole_rounds = 1.0;  // the probes that visit every word
  for (const int bits : bits_set) {
    for (int i = 0; i < probes / kWordsPerLine; ++i) whole_rounds *= bits;
  }
  const double scale = std::ldexp(1.0, -6 * probes);
  double sum = 0.0;
  for (int window = 0; window < kWordsPerLine; ++window) {
    double rest = whole_rounds;
    for (int i = 0; i < probes % kWordsPerLine; ++i) {
      rest *= bits_set[(window + i) % kWordsPerLine];
    }
    sum += rest * scale;
  }
  return sum / kWordsPerLine;
}

LineContents ReadLine(const LineShape& shape, const uint8_t* line) {
  return shape.kind == Line::kPlain ? ReadPlainLine(shape.base, line)
                                    : ReadSolvedLine(shape, line);
}

}  // namespace linebloom
