#include "tools/shared/intervals.h"

#include <algorithm>
#include <cmath>

namespace linebloom::tools {
namespace {

constexpr double kZ =
    1.959963984540054;  // 97.5 % quantile of the normal distribution

}  // namespace

Interval WilsonInterval(uint64_t successes, uint64_t trials) {
  if (trials == 0) return {0.0, 1.0};
  const double n = trials;
  const double rate = successes / n;
  const double shrink = 1 + kZ * kZ / n;
  const double center = (rate + kZ * kZ / (2 * n)) / shrink;
  const double half =
      kZ * std::sqrt(rate * (1 - rate) / n + kZ * kZ / (4 * n * n)) / shrink;
  // Rounding must not exclude the rate itself.
  return {std::max(0.0, std::min(rate, center - half)),
          std::min(1.0, std::max(rate, center + half))};
}

Interval PoissonInterval(uint64_t count) {
  const double n = count;
  const double center = n + kZ * kZ / 2;
  const double half = kZ * std::sqrt(n + kZ * kZ / 4);
  return {std::max(0.0, center - half), center + half};
}

}  // namespace linebloom::tools
