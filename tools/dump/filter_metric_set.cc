#include "tools/dump/filter_metric_set.h"

#include <array>
#include <charconv>
#include <cmath>

#include "filter_policy/policy/printable.h"

namespace linebloom::tools {
namespace {

// The format wants UTF-8 and escapes these three.
std::string Escape(std::string_view value) {
  std::string escaped;
  for (const char c : Printable(value, "\n")) {
    if (c == '\n') {
      escaped += "\\n";
    } else {
      if (c == '\\' || c == '"') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

void Metric::Add(const MetricLabels& labels, double value) {
  std::string text;
  for (const auto& [name, label] : labels) {
    text += text.empty() ? '{' : ',';
    text.append(name).append("=\"").append(Escape(label)).append("\"");
  }
  if (!text.empty()) text += '}';
  samples_[text] += value;
}

std::string Metric::Text() const {
  if (samples_.empty()) return "";
  const std::string name(name_);
  std::string text = "# HELP " + name + " ";
  text.append(help_).append("\n# TYPE " + name);
  text.append(name.ends_with("_total") ? " counter\n" : " gauge\n");
  for (const auto& [labels, value] : samples_) {
    std::array<char, 32> number;
    const auto result = std::to_chars(number.begin(), number.end(), value,
                                      std::chars_format::general,
                                      value == std::floor(value) ? 17 : 6);
    text.append(name).append(labels).append(" ");
    text.append(number.begin(), result.ptr).append("\n");
  }
  return text;
}

// All three only increase. The positives and the false ones among them don't
// have to: they are differences of counters read one after the other
// (observed_rate.cc).
void FilterMetricSet::AddStats(const std::string& database,
                               const FilterStats& stats) {
  const MetricLabels labels = {{"database", database}};
  probes_.Add(labels, stats.negatives + stats.positives);
  negatives_.Add(labels, stats.negatives);
  true_positives_.Add(labels, stats.true_positives);
}

void FilterMetricSet::AddFile(const std::string& database,
                              const std::string& column_family, int level,
                              const std::string& policy, uint64_t rows,
                              uint64_t keys, uint64_t bytes) {
  const std::string level_text = std::to_string(level);
  const MetricLabels labels = {
      {"database", database},
      {"column_family", column_family},
      {"level", level_text},
      {"policy", bytes > 0 ? std::string_view(policy) : "none"}};
  files_.Add(labels, 1);
  rows_.Add(labels, rows);
  keys_.Add(labels, bytes == 0 ? 0 : keys > 0 ? keys : rows);
  bytes_.Add(labels, bytes);
}

void FilterMetricSet::AddBudget(const std::string& database,
                                const std::string& column_family,
                                uint64_t budget) {
  budget_.Add({{"database", database}, {"column_family", column_family}},
              budget);
}

std::string FilterMetricSet::Text() const {
  return probes_.Text() + negatives_.Text() + true_positives_.Text() +
         files_.Text() + rows_.Text() + keys_.Text() + bytes_.Text() +
         budget_.Text();
}

}  // namespace linebloom::tools
