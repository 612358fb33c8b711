#include "filter_policy/filter_facts/expected_reads.h"

namespace linebloom {

void ExpectedReads::Add(int level, double lookups, double rate) {
  Level& sums = levels_[level];
  sums.lookups += lookups;
  sums.rates += rate;
  sums.rates_by_lookups += rate * lookups;
}

double ExpectedReads::OfLevel(int level) const {
  const auto found = levels_.find(level);
  if (found == levels_.end()) return 0;
  const Level& sums = found->second;
  if (level == 0) return sums.rates;
  if (sums.lookups == 0) return 1;
  return sums.rates_by_lookups / sums.lookups;
}

double ExpectedReads::All() const {
  double all = 0;
  for (const auto& [level, sums] : levels_) all += OfLevel(level);
  return all;
}

double ExpectedReads::Weight(int level, double lookups) const {
  if (level == 0) return 1;
  const auto found = levels_.find(level);
  if (found == levels_.end() || found->second.lookups == 0) return 0;
  return lookups / found->second.lookups;
}

}  // namespace linebloom
