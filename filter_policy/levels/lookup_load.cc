#include "filter_policy/levels/lookup_load.h"

#include <algorithm>
#include <cmath>

namespace linebloom {
namespace {

// So many new lookups leave a tenth of the old ones' weight. Fewer tell 3 % of
// hits from 5 % badly, more take longer to notice that the load turned.
constexpr double kLookupsOfWindow = 10'000;
constexpr double kLeftAfterWindow = 0.1;

// Tickers are read one after the other, so that a difference of two may fall a
// little without a reset.
double Since(double last, double now) {
  return now >= last ? now - last : now < last / 2 ? now : 0;
}

}  // namespace

double Lookups::other_data_blocks() const {
  return std::max(0.0, data_blocks - data_blocks_of_lookups);
}

void Lookups::Add(const Lookups& more, double times) {
  all += times * more.all;
  hits += times * more.hits;
  data_blocks_of_lookups += times * more.data_blocks_of_lookups;
  data_blocks += times * more.data_blocks;
}

Lookups LookupsOf(const rocksdb::Statistics& statistics) {
  if (statistics.get_stats_level() <= rocksdb::StatsLevel::kDisableAll) {
    return {};
  }
  const auto count = [&statistics](uint32_t ticker) {
    return static_cast<double>(statistics.getTickerCount(ticker));
  };
  // The row cache answers for files, and its hits count as theirs.
  const double of_row_cache = count(rocksdb::ROW_CACHE_HIT);
  const double true_positives = count(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  Lookups lookups;
  // Of Get() and MultiGet(), unlike NUMBER_KEYS_READ.
  lookups.all = std::max(0.0, count(rocksdb::MEMTABLE_MISS) - of_row_cache);
  // GET_HIT_* leaves out deletions, true positives leave out files without a
  // filter.
  const double found =
      std::max(count(rocksdb::GET_HIT_L0) + count(rocksdb::GET_HIT_L1) +
                   count(rocksdb::GET_HIT_L2_AND_UP) - of_row_cache,
               true_positives);
  lookups.hits = std::clamp(found, 0.0, lookups.all);
  lookups.data_blocks_of_lookups =
      lookups.hits + std::max(0.0, count(rocksdb::BLOOM_FILTER_FULL_POSITIVE) -
                                       true_positives);
  // Misses would count what compactions read, which the cache never has.
  lookups.data_blocks = count(rocksdb::BLOCK_CACHE_DATA_HIT) +
                        count(rocksdb::BLOCK_CACHE_DATA_ADD);
  return lookups;
}

void LookupWindow::Sample(const Lookups& now) {
  const Lookups more = {
      .all = Since(last_.all, now.all),
      .hits = Since(last_.hits, now.hits),
      .data_blocks_of_lookups =
          Since(last_.data_blocks_of_lookups, now.data_blocks_of_lookups),
      .data_blocks = Since(last_.data_blocks, now.data_blocks)};
  last_ = now;
  const double left =
      std::pow(kLeftAfterWindow, std::min(1.0, more.all / kLookupsOfWindow));
  Lookups recent = more;
  recent.Add(recent_, left);
  recent_ = recent;
}

}  // namespace linebloom
