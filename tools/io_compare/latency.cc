#include "tools/io_compare/latency.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace linebloom::tools {

Latency SummarizeLatency(std::vector<uint32_t>* nanoseconds) {
  const auto at_share = [nanoseconds](double share) {
    const auto rank = static_cast<size_t>(
        share * static_cast<double>(nanoseconds->size() - 1));
    const auto nth = nanoseconds->begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(nanoseconds->begin(), nth, nanoseconds->end());
    return *nth / 1000.0;
  };
  Latency latency;
  latency.mean =
      std::accumulate(nanoseconds->begin(), nanoseconds->end(), 0.0) /
      static_cast<double>(nanoseconds->size()) / 1000.0;
  latency.p50 = at_share(0.50);
  latency.p99 = at_share(0.99);
  return latency;
}

void LatencyHistogram::Add(const std::vector<uint32_t>& nanoseconds) {
  for (const uint32_t time : nanoseconds) {
    const double doublings = std::log2(std::max<uint32_t>(time, 1));
    const auto i = static_cast<size_t>(kClassesPerDoubling * doublings);
    ++counts_[std::min(i, counts_.size() - 1)];
  }
}

std::vector<std::pair<double, double>> LatencyHistogram::SlowerThan() const {
  std::vector<std::pair<double, double>> points;
  const uint64_t all =
      std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
  uint64_t left = all;
  for (size_t i = 0; i < counts_.size() && left > 0; ++i) {
    // The share falls from the beginning to the end of each class with lookups.
    const bool is_corner = counts_[i] > 0 || (i > 0 && counts_[i - 1] > 0);
    if (is_corner) {
      points.emplace_back(
          std::exp2(static_cast<double>(i) / kClassesPerDoubling) / 1000,
          static_cast<double>(left) / static_cast<double>(all));
    }
    left -= counts_[i];
  }
  return points;
}

}  // namespace linebloom::tools
