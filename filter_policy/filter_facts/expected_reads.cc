#include "filter_policy/filter_facts/expected_reads.h"

namespace linebloom {

void ExpectedReads::Add(int level, uint64_t rows, double rate) {
  Level& sums = levels_[level];
  sums.rows += rows;
  sums.rates += rate;
  sums.rates_by_rows += rate * static_cast<double>(rows);
}

double ExpectedReads::OfLevel(int level) const {
  const auto found = levels_.find(level);
  if (found == levels_.end()) return 0;
  const Level& sums = found->second;
  if (level == 0) return sums.rates;
  if (sums.rows == 0) return 1;
  return sums.rates_by_rows / static_cast<double>(sums.rows);
}

double ExpectedReads::All() const {
  double all = 0;
  for (const auto& [level, sums] : levels_) all += OfLevel(level);
  return all;
}

double ExpectedReads::Weight(int level, uint64_t rows) const {
  if (level == 0) return 1;
  const auto found = levels_.find(level);
  if (found == levels_.end() || found->second.rows == 0) return 0;
  return static_cast<double>(rows) / static_cast<double>(found->second.rows);
}

}  // namespace linebloom
