// The time that lookups took.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace linebloom::tools {

struct Latency {  // of one lookup, in microseconds
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
};

// Summarizes `nanoseconds` per lookup, which must not be empty. Reorders them.
Latency SummarizeLatency(std::vector<uint32_t>* nanoseconds);

// Counts times in classes that are 4.4 % wide: fine enough for a picture, and
// independent of the number of lookups.
class LatencyHistogram {
 public:
  void Add(const std::vector<uint32_t>& nanoseconds);

  // Pairs of microseconds and the share of lookups, above 0, that took longer,
  // starting with the fastest lookup. Empty if there are no lookups.
  std::vector<std::pair<double, double>> SlowerThan() const;

 private:
  static constexpr int kClassesPerDoubling = 16;

  std::array<uint64_t, 32 * kClassesPerDoubling> counts_ = {};
};

}  // namespace linebloom::tools
