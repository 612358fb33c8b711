// The metrics of linebloom dump in Prometheus's text format, version 0.0.4.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linebloom/observed_rate.h"

namespace linebloom::tools {

// Names and values; the values may hold any bytes, of which those that are not
// printable UTF-8 become \xff, line ends apart.
using MetricLabels = std::vector<std::pair<std::string_view, std::string_view>>;

// One metric with all of its samples, which the format wants next to each
// other. A counter if its name ends in `_total`, otherwise a gauge.
class Metric {
 public:
  // `help` has neither backslashes nor line ends.
  Metric(std::string_view name, std::string_view help)
      : name_(name), help_(help) {}

  // Adds to the sample with these labels. Whole numbers are printed exactly up
  // to 2^53, others with six digits.
  void Add(const MetricLabels& labels, double value);

  // Empty without samples.
  std::string Text() const;

 private:
  const std::string_view name_;
  const std::string_view help_;
  std::map<std::string, double> samples_;  // by the text of their labels
};

class FilterMetricSet {
 public:
  void AddStats(const std::string& database, const FilterStats& stats);

  // A live file. `keys` in its filter may be 0 for unknown, `bytes` for none.
  // `policy` is the one that built the filter, if there is one.
  void AddFile(const std::string& database, const std::string& column_family,
               int level, const std::string& policy, uint64_t rows,
               uint64_t keys, uint64_t bytes);

  // In bytes.
  void AddBudget(const std::string& database, const std::string& column_family,
                 uint64_t budget);

  std::string Text() const;

 private:
  Metric probes_{"linebloom_filter_probes_total",
                 "Files whose filter lookups probed."};
  Metric negatives_{"linebloom_filter_negatives_total",
                    "Probes after which the file was skipped."};
  Metric true_positives_{"linebloom_filter_true_positives_total",
                         "Probes after which the file had the key."};
  Metric files_{"linebloom_files",
                "Live SSTables, by the policy that built their filters."};
  Metric rows_{"linebloom_rows", "Entries of the live SSTables."};
  Metric keys_{"linebloom_filter_keys",
               "Keys and prefixes in the filters of the live SSTables."};
  Metric bytes_{"linebloom_filter_bytes",
                "Sizes of the filters of the live SSTables."};
  Metric budget_{"linebloom_memory_budget_bytes",
                 "The memory that all filters of the policies with this budget "
                 "may take."};
};

}  // namespace linebloom::tools
