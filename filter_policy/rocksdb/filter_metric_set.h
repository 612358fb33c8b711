// The metrics that FilterMetrics() and filter_dump share: their names and
// labels stand here alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "filter_policy/rocksdb/prometheus_text.h"
#include "linebloom/observed_rate.h"

namespace linebloom {

// A live file, as described by its table properties.
struct MeteredFile {
  int level = 0;
  uint64_t rows = 0;
  std::string policy;  // that built its filter
  uint64_t keys = 0;   // in the filter; 0 if unknown
  uint64_t bytes = 0;  // of the filter; 0 if there is none
};

class FilterMetricSet {
 public:
  void AddAnswers(const std::string& database, const FilterAnswers& answers);

  void AddFile(const std::string& database, const std::string& column_family,
               const MeteredFile& file);

  // In bytes.
  void AddBudget(const std::string& database, const std::string& column_family,
                 uint64_t budget);

  std::string Text() const;

 private:
  // Database, column family, level, and the policy that built the filters.
  using Group = std::tuple<std::string, std::string, int, std::string>;
  struct Sums {
    uint64_t files = 0;
    uint64_t rows = 0;
    uint64_t keys = 0;
    uint64_t bytes = 0;
  };

  Metric probes_{"linebloom_filter_probes_total", "counter",
                 "Files whose filter lookups probed."};
  Metric negatives_{"linebloom_filter_negatives_total", "counter",
                    "Probes after which the file was skipped."};
  Metric true_positives_{"linebloom_filter_true_positives_total", "counter",
                         "Probes after which the file had the key."};
  Metric budget_{"linebloom_memory_budget_bytes", "gauge",
                 "The memory that all filters of the policies with this budget "
                 "may take."};
  std::map<Group, Sums> groups_;
};

}  // namespace linebloom
