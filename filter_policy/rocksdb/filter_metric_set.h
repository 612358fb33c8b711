// The metrics that FilterMetrics() and filter_dump share, in Prometheus's text
// format, version 0.0.4. Their names and labels stand here alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "linebloom/observed_rate.h"

namespace linebloom {

// Names and values; the values may hold any bytes, of which those that are not
// printable UTF-8 become \xff, line ends apart.
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

// Live files and their filters.
struct FilterStats {
  // Of one file. `keys` in its filter may be 0 for unknown, `bytes` for none.
  static FilterStats OfFile(uint64_t rows, uint64_t keys, uint64_t bytes) {
    return {1, rows, bytes == 0 ? 0 : keys > 0 ? keys : rows, bytes};
  }
  void Add(const FilterStats& more) {
    files += more.files;
    rows += more.rows;
    keys += more.keys;
    bytes += more.bytes;
  }

  uint64_t files = 0;
  uint64_t rows = 0;
  uint64_t keys = 0;  // and prefixes
  uint64_t bytes = 0;
};

class FilterMetricSet {
 public:
  void AddAnswers(const std::string& database, const FilterAnswers& answers);

  // `policy` is the one that built the filters, if there are any.
  void AddFiles(const std::string& database, const std::string& column_family,
                int level, const std::string& policy, const FilterStats& files);

  // In bytes.
  void AddBudget(const std::string& database, const std::string& column_family,
                 uint64_t budget);

  std::string Text() const;

 private:
  // Database, column family, level, and the policy that built the filters.
  using Group = std::tuple<std::string, std::string, int, std::string>;

  Metric probes_{"linebloom_filter_probes_total", "counter",
                 "Files whose filter lookups probed."};
  Metric negatives_{"linebloom_filter_negatives_total", "counter",
                    "Probes after which the file was skipped."};
  Metric true_positives_{"linebloom_filter_true_positives_total", "counter",
                         "Probes after which the file had the key."};
  Metric budget_{"linebloom_memory_budget_bytes", "gauge",
                 "The memory that all filters of the policies with this budget "
                 "may take."};
  std::map<Group, FilterStats> groups_;
};

}  // namespace linebloom
