// Writes metrics in Prometheus's text format, version 0.0.4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linebloom {

// Names and values; the values may hold any bytes.
using MetricLabels = std::vector<std::pair<std::string_view, std::string_view>>;

// One metric with all of its samples, which the format wants side by side.
class Metric {
 public:
  // `type` is "counter" or "gauge"; `help` has neither backslashes nor line
  // ends.
  Metric(std::string_view name, std::string_view type, std::string_view help);

  void Add(const MetricLabels& labels, uint64_t value);
  // `value` is a number as text: the caller knows how many digits it is good
  // for.
  void Add(const MetricLabels& labels, std::string_view value);

  // Empty without samples.
  std::string Text() const;

 private:
  std::string name_;
  std::string head_;
  std::string samples_;
};

}  // namespace linebloom
