// How long lookups took.
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

// Of `nanoseconds` per lookup, which it reorders; not empty.
Latency SummarizeLatency(std::vector<uint32_t>* nanoseconds);

// Counts of times, in classes that are 4.4 % wide: fine enough for a picture,
// and it does not grow with the lookups.
class LatencyHistogram {
 public:
  void Add(const std::vector<uint32_t>& nanoseconds);

  // Pairs of microseconds and the share of the lookups, above 0, that took
  // longer, from the fastest lookup on. Empty for no lookups.
  std::vector<std::pair<double, double>> SlowerThan() const;

 private:
  static constexpr int kClassesPerDoubling = 16;

  std::array<uint64_t, 32 * kClassesPerDoubling> counts_ = {};
};

}  // namespace linebloom::tools
