#include "filter_policy/line/line_rate.h"

namespace linebloom {

double PlainLineRate(const std::array<int, kPlainWords>& bits_set, int probes) {
  double fill[kPlainWords];
  double whole_rounds = 1.0;  // the probes that visit every word
  for (int w = 0; w < kPlainWords; ++w) {
    fill[w] = bits_set[w] / 64.0;
    for (int i = 0; i < probes / kPlainWords; ++i) whole_rounds *= fill[w];
  }
  double sum = 0.0;
  for (int window = 0; window < kPlainWords; ++window) {
    double rest = whole_rounds;
    for (int i = 0; i < probes % kPlainWords; ++i) {
      rest *= fill[(window + i) % kPlainWords];
    }
    sum += rest;
  }
  return sum / kPlainWords;
}

}  // namespace linebloom
