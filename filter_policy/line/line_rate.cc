#include "filter_policy/line/line_rate.h"

#include <array>
#include <bit>
#include <cstddef>

#include "filter_policy/line/line_probes.h"

namespace linebloom {

double LineRate(std::span<const uint64_t> words, int probes) {
  std::array<int, kWordsPerLine> bits_set;
  for (size_t w = 0; w < words.size(); ++w) {
    bits_set[w] = std::popcount(words[w]);
  }
  return LineRate(std::span<const int>(bits_set).first(words.size()), probes);
}

double LineRate(std::span<const int> bits_set, int probes) {
  const int count = static_cast<int>(bits_set.size());
  double fill[kWordsPerLine];
  double whole_rounds = 1.0;  // the probes that go through every word
  for (int w = 0; w < count; ++w) {
    fill[w] = bits_set[w] / 64.0;
    for (int i = 0; i < probes / count; ++i) whole_rounds *= fill[w];
  }
  double sum = 0.0;
  for (int window = 0; window < count; ++window) {
    double rest = whole_rounds;
    for (int i = 0; i < probes % count; ++i) {
      rest *= fill[(window + i) % count];
    }
    sum += rest;
  }
  return sum / count;
}

}  // namespace linebloom
