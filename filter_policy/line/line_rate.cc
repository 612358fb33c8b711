#include "filter_policy/line/line_rate.h"

#include <cmath>

namespace linebloom {

// Multiplies the numbers of bits, and scales the product by a power of two
// last: fusing that with the addition changes nothing. Rejected: the flag
// -ffp-contract=off, which RocksDB's own build would have to be given too.
double PlainLineRate(const std::array<int, kPlainWords>& bits_set, int probes) {
  double whole_rounds = 1.0;  // the probes that visit every word
  for (const int bits : bits_set) {
    for (int i = 0; i < probes / kPlainWords; ++i) whole_rounds *= bits;
  }
  const double scale = std::ldexp(1.0, -6 * probes);
  double sum = 0.0;
  for (int window = 0; window < kPlainWords; ++window) {
    double rest = whole_rounds;
    for (int i = 0; i < probes % kPlainWords; ++i) {
      rest *= bits_set[(window + i) % kPlainWords];
    }
    sum += rest * scale;
  }
  return sum / kPlainWords;
}

}  // namespace linebloom
