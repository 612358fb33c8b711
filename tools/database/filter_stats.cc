#include "tools/database/filter_stats.h"

namespace linebloom::tools {

std::optional<double> FilterStats::false_positive_rate() const {
  if (probes_without_key() == 0) return std::nullopt;
  return static_cast<double>(false_positives()) /
         static_cast<double>(probes_without_key());
}

FilterStats& FilterStats::operator+=(const FilterStats& other) {
  negatives += other.negatives;
  positives += other.positives;
  true_positives += other.true_positives;
  return *this;
}

FilterStats FilterStatsOf(const std::map<std::string, uint64_t>& tickers) {
  const auto count = [&tickers](const std::string& what) {
    const auto found = tickers.find("rocksdb.bloom.filter." + what);
    return found == tickers.end() ? 0 : found->second;
  };
  FilterStats stats = {count("useful"), count("full.positive"),
                       count("full.true.positive")};
  if (tickers.contains("rocksdb.bloom.filter.prefix.true.positive")) {
    const uint64_t useful = count("prefix.useful");
    const uint64_t checked = count("prefix.checked");
    stats.negatives += useful;
    // (There are fewer checks if the statistics were just reset.)
    stats.positives += checked > useful ? checked - useful : 0;
    stats.true_positives += count("prefix.true.positive");
  }
  return stats;
}

}  // namespace linebloom::tools
