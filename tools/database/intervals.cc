#include "tools/database/intervals.h"

#include <algorithm>
#include <cmath>

namespace linebloom::tools {
namespace {

constexpr double kZ =
    1.959963984540054;  // 97.5 % quantile of the normal distribution

}  // namespace

Interval PoissonInterval(uint64_t count) {
  const double n = count;
  const double center = n + kZ * kZ / 2;
  const double half = kZ * std::sqrt(n + kZ * kZ / 4);
  return {std::max(0.0, center - half), center + half};
}

}  // namespace linebloom::tools
