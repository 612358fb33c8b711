#include "filter_policy/rocksdb/filter_metric_set.h"

namespace linebloom {

// All three only increase. The positives and the false ones among them don't
// have to: they are differences of counters read one after the other
// (observed_rate.cc).
void FilterMetricSet::AddAnswers(const std::string& database,
                                 const FilterAnswers& answers) {
  const MetricLabels labels = {{"database", database}};
  probes_.Add(labels, answers.negatives + answers.positives);
  negatives_.Add(labels, answers.negatives);
  true_positives_.Add(labels, answers.true_positives);
}

void FilterMetricSet::AddFile(const std::string& database,
                              const std::string& column_family,
                              const MeteredFile& file) {
  const bool has_filter = file.bytes > 0;
  Sums& sums = groups_[{database, column_family, file.level,
                        has_filter ? file.policy : "none"}];
  ++sums.files;
  sums.rows += file.rows;
  if (has_filter) sums.keys += file.keys > 0 ? file.keys : file.rows;
  sums.bytes += file.bytes;
}

void FilterMetricSet::AddBudget(const std::string& database,
                                const std::string& column_family,
                                uint64_t budget) {
  budget_.Add({{"database", database}, {"column_family", column_family}},
              budget);
}

std::string FilterMetricSet::Text() const {
  Metric files("linebloom_files", "gauge",
               "Live SSTables, by the policy that built their filters.");
  Metric rows("linebloom_rows", "gauge", "Entries of the live SSTables.");
  Metric keys("linebloom_filter_keys", "gauge",
              "Keys and prefixes in the filters of the live SSTables.");
  Metric bytes("linebloom_filter_bytes", "gauge",
               "Sizes of the filters of the live SSTables.");
  for (const auto& [group, sums] : groups_) {
    const auto& [database, column_family, level, policy] = group;
    const std::string level_text = std::to_string(level);
    const MetricLabels labels = {{"database", database},
                                 {"column_family", column_family},
                                 {"level", level_text},
                                 {"policy", policy}};
    files.Add(labels, sums.files);
    rows.Add(labels, sums.rows);
    keys.Add(labels, sums.keys);
    bytes.Add(labels, sums.bytes);
  }
  return probes_.Text() + negatives_.Text() + true_positives_.Text() +
         files.Text() + rows.Text() + keys.Text() + bytes.Text() +
         budget_.Text();
}

}  // namespace linebloom
