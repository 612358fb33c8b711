#include "linebloom/observed_rate.h"

#include "filter_policy/policy/number_text.h"
#include "rocksdb/version.h"

namespace linebloom {

using rocksdb::Tickers;

FilterStats operator-(const FilterStats& after, const FilterStats& before) {
  const bool were_reset = after.negatives < before.negatives ||
                          after.positives < before.positives ||
                          after.true_positives < before.true_positives;
  if (were_reset) return after;
  return {after.negatives - before.negatives,
          after.positives - before.positives,
          after.true_positives - before.true_positives};
}

FilterStats FilterStatsByLevel::all() const {
  FilterStats sum;
  for (const auto& [level, stats] : levels) sum += stats;
  return sum;
}

FilterStatsByLevel& FilterStatsByLevel::operator+=(
    const FilterStatsByLevel& other) {
  for (const auto& [level, stats] : other.levels) levels[level] += stats;
  return *this;
}

FilterStatsByLevel operator-(const FilterStatsByLevel& after,
                             const FilterStatsByLevel& before) {
  FilterStatsByLevel between;
  for (const auto& [level, stats] : after.levels) {
    const auto earlier = before.levels.find(level);
    const FilterStats difference =
        earlier == before.levels.end() ? stats : stats - earlier->second;
    if (difference != FilterStats()) between.levels[level] = difference;
  }
  return between;
}

FilterStats GetFilterStats(const rocksdb::Statistics& statistics) {
  // RocksDB counts a positive before it knows if it is a true one. Reading in
  // reverse order keeps the true ones from exceeding the positives while
  // lookups continue.
  FilterStats stats;
  stats.true_positives =
      statistics.getTickerCount(Tickers::BLOOM_FILTER_FULL_TRUE_POSITIVE);
#if ROCKSDB_MAJOR > 8 || (ROCKSDB_MAJOR == 8 && ROCKSDB_MINOR >= 3)
  stats.true_positives +=
      statistics.getTickerCount(Tickers::BLOOM_FILTER_PREFIX_TRUE_POSITIVE);
  const uint64_t prefix_negatives =
      statistics.getTickerCount(Tickers::BLOOM_FILTER_PREFIX_USEFUL);
  // RocksDB counts a check before it knows if it is useful.
  const uint64_t prefix_checks =
      statistics.getTickerCount(Tickers::BLOOM_FILTER_PREFIX_CHECKED);
  stats.negatives = prefix_negatives;
  // (There are fewer checks if the statistics were just reset.)
  stats.positives =
      prefix_checks > prefix_negatives ? prefix_checks - prefix_negatives : 0;
#endif
  stats.negatives += statistics.getTickerCount(Tickers::BLOOM_FILTER_USEFUL);
  stats.positives +=
      statistics.getTickerCount(Tickers::BLOOM_FILTER_FULL_POSITIVE);
  return stats;
}

FilterStatsByLevel GetFilterStats(const rocksdb::PerfContext& thread) {
  FilterStatsByLevel by_level;
  if (thread.level_to_perf_context == nullptr) return by_level;
  for (const auto& [level, counts] : *thread.level_to_perf_context) {
    FilterStats stats;
    stats.negatives = counts.bloom_filter_useful;
    stats.positives = counts.bloom_filter_full_positive;
    stats.true_positives = counts.bloom_filter_full_true_positive;
    if (stats != FilterStats()) {
      by_level.levels[static_cast<int>(level)] = stats;
    }
  }
  return by_level;
}

CountByLevel::CountByLevel()
    : level_before_(rocksdb::GetPerfLevel()),
      counted_before_(
          rocksdb::get_perf_context()->per_level_perf_context_enabled) {
  if (level_before_ < rocksdb::PerfLevel::kEnableCount) {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  }
  rocksdb::get_perf_context()->EnablePerLevelPerfContext();
}

CountByLevel::~CountByLevel() {
  rocksdb::SetPerfLevel(level_before_);
  if (!counted_before_) {
    rocksdb::get_perf_context()->DisablePerLevelPerfContext();
  }
}

std::string ToString(const FilterStats& stats,
                     std::optional<double> predicted_rate) {
  std::string text = "no probes of files without the key";
  if (const std::optional<double> rate = stats.false_positive_rate()) {
    text = PercentText(*rate) +
           " false positives: " + std::to_string(stats.false_positives()) +
           " of " + std::to_string(stats.probes_without_key()) +
           " probes of files without the key";
  }
  if (predicted_rate.has_value()) {
    text += "; predicted " + PercentText(*predicted_rate);
  }
  return text;
}

}  // namespace linebloom
