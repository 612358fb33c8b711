#include "filter_policy/rocksdb/prometheus_text.h"

namespace linebloom {
namespace {

std::string Escape(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
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

Metric::Metric(std::string_view name, std::string_view type,
               std::string_view help)
    : name_(name) {
  head_ = "# HELP " + name_ + " ";
  head_.append(help).append("\n# TYPE ").append(name_).append(" ");
  head_.append(type).append("\n");
}

void Metric::Add(const MetricLabels& labels, uint64_t value) {
  Add(labels, std::to_string(value));
}

void Metric::Add(const MetricLabels& labels, std::string_view value) {
  samples_ += name_;
  char before = '{';
  for (const auto& [name, label] : labels) {
    samples_ += before;
    samples_.append(name).append("=\"").append(Escape(label)).append("\"");
    before = ',';
  }
  if (!labels.empty()) samples_ += '}';
  samples_.append(" ").append(value).append("\n");
}

std::string Metric::Text() const {
  return samples_.empty() ? "" : head_ + samples_;
}

}  // namespace linebloom
