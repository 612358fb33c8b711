#include "linebloom/observed_rate.h"

#include <cinttypes>
#include <cstdio>

#include "rocksdb/version.h"

namespace linebloom {
namespace {

using rocksdb::Tickers;

std::string Percent(double rate) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %%", 100 * rate);
  return text;
}

}  // namespace

FilterAnswers operator-(const FilterAnswers& after,
                        const FilterAnswers& before) {
  const bool were_reset = after.negatives < before.negatives ||
                          after.positives < before.positives ||
                          after.true_positives < before.true_positives;
  if (were_reset) return after;
  return {after.negatives - before.negatives,
          after.positives - before.positives,
          after.true_positives - before.true_positives};
}

FilterAnswers FilterAnswersByLevel::all() const {
  FilterAnswers sum;
  for (const auto& [level, answers] : levels) sum += answers;
  return sum;
}

FilterAnswersByLevel& FilterAnswersByLevel::operator+=(
    const FilterAnswersByLevel& other) {
  for (const auto& [level, answers] : other.levels) levels[level] += answers;
  return *this;
}

FilterAnswersByLevel operator-(const FilterAnswersByLevel& after,
                               const FilterAnswersByLevel& before) {
  FilterAnswersByLevel between;
  for (const auto& [level, answers] : after.levels) {
    const auto earlier = before.levels.find(level);
    const FilterAnswers difference =
        earlier == before.levels.end() ? answers : answers - earlier->second;
    if (difference != FilterAnswers()) between.levels[level] = difference;
  }
  return between;
}

FilterAnswers ReadFilterAnswers(const rocksdb::Statistics& statistics) {
  // RocksDB counts a positive before it knows if it is a true one. Reading in
  // reverse order keeps the true ones from exceeding the positives while
  // lookups continue.
  FilterAnswers answers;
  answers.true_positives =
      statistics.getTickerCount(Tickers::BLOOM_FILTER_FULL_TRUE_POSITIVE);
#if ROCKSDB_MAJOR > 8 || (ROCKSDB_MAJOR == 8 && ROCKSDB_MINOR >= 3)
  answers.true_positives +=
      statistics.getTickerCount(Tickers::BLOOM_FILTER_PREFIX_TRUE_POSITIVE);
  const uint64_t prefix_negatives =
      statistics.getTickerCount(Tickers::BLOOM_FILTER_PREFIX_USEFUL);
  // RocksDB counts a check before it knows if it is useful.
  const uint64_t prefix_checks =
      statistics.getTickerCount(Tickers::BLOOM_FILTER_PREFIX_CHECKED);
  answers.negatives = prefix_negatives;
  // (There are fewer checks if the statistics were just reset.)
  answers.positives =
      prefix_checks > prefix_negatives ? prefix_checks - prefix_negatives : 0;
#endif
  answers.negatives += statistics.getTickerCount(Tickers::BLOOM_FILTER_USEFUL);
  answers.positives +=
      statistics.getTickerCount(Tickers::BLOOM_FILTER_FULL_POSITIVE);
  return answers;
}

FilterAnswersByLevel ReadFilterAnswers(const rocksdb::PerfContext& thread) {
  FilterAnswersByLevel by_level;
  if (thread.level_to_perf_context == nullptr) return by_level;
  for (const auto& [level, counts] : *thread.level_to_perf_context) {
    FilterAnswers answers;
    answers.negatives = counts.bloom_filter_useful;
    answers.positives = counts.bloom_filter_full_positive;
    answers.true_positives = counts.bloom_filter_full_true_positive;
    if (answers != FilterAnswers()) {
      by_level.levels[static_cast<int>(level)] = answers;
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

std::string ToString(const FilterAnswers& answers,
                     std::optional<double> predicted_rate) {
  std::string text = "no probes of files without the key";
  if (const std::optional<double> rate = answers.false_positive_rate()) {
    char counts[80];
    std::snprintf(counts, sizeof(counts), "%" PRIu64 " of %" PRIu64 " ",
                  answers.false_positives(), answers.probes_without_key());
    text = Percent(*rate) + " false positives: " + counts +
           "probes of files without the key";
  }
  if (predicted_rate.has_value()) {
    text += "; predicted " + Percent(*predicted_rate);
  }
  return text;
}

}  // namespace linebloom
