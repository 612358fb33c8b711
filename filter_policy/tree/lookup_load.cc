#include "filter_policy/tree/lookup_load.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace linebloom {
namespace {

// So many new lookups leave a tenth of the old ones' weight. Fewer tell 3 % of
// hits from 5 % badly, more take longer to notice that the load turned.
constexpr double kLookupsOfWindow = 10'000;
constexpr double kLeftAfterWindow = 0.1;

// A window with fewer says little about the share that hits.
constexpr double kFewestOfWindow = 1000;

// Lookups between two reads of filters; fewer reads don't matter.
constexpr double kFarApart = 2000;

// Of n lookups that all miss, fewer than 3 in n of the load hit (95 %). The
// first lookups after a database was opened are often not like later ones, and
// bits for a load that always hits are the worst for one that doesn't: so many
// that miss may be unseen.
constexpr double kUnseenHits = 3;
constexpr double kUnseenMisses = 300;

// Hits in files without a filter go unseen.
constexpr double kMostUnfiltered = 0.1;

constexpr std::array kNumbers = {
    &Lookups::all,         &Lookups::hits,
    &Lookups::fewest_hits, &Lookups::data_blocks_of_lookups,
    &Lookups::data_blocks, &Lookups::squares_of_gaps};

// Tickers are read one after the other, so that a difference of two may fall a
// little without a reset.
double Since(double last, double now) {
  return now >= last ? now - last : now < last / 2 ? now : 0;
}

}  // namespace

void Lookups::Add(const Lookups& more, double times) {
  for (const auto number : kNumbers) this->*number += times * more.*number;
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
  // GET_HIT_* misses deletions; true positives miss files without a filter, and
  // count each merge operand.
  const double gets = count(rocksdb::GET_HIT_L0) + count(rocksdb::GET_HIT_L1) +
                      count(rocksdb::GET_HIT_L2_AND_UP) - of_row_cache;
  lookups.hits = std::clamp(std::max(gets, true_positives), 0.0, lookups.all);
  lookups.fewest_hits = std::clamp(gets, 0.0, lookups.all);
  lookups.data_blocks_of_lookups =
      lookups.hits + std::max(0.0, count(rocksdb::BLOOM_FILTER_FULL_POSITIVE) -
                                       true_positives);
  // Misses would count what compactions read, which the cache never has.
  lookups.data_blocks = count(rocksdb::BLOCK_CACHE_DATA_HIT) +
                        count(rocksdb::BLOCK_CACHE_DATA_ADD);
  return lookups;
}

HitRange HitRange::Of(double least, double most, double n) {
  return {std::max(0.0, least) / (n + kUnseenMisses),
          std::min(1.0, (most + kUnseenHits) / (n + kUnseenHits))};
}

void LookupWindow::Sample(const Lookups& now, double seconds) {
  Lookups more;
  for (const auto number : kNumbers) {
    more.*number = Since(last_.*number, now.*number);
  }
  last_ = now;
  Add(more, seconds);
}

void LookupWindow::Add(const Lookups& more, double seconds) {
  const double left = std::pow(
      kLeftAfterWindow, std::clamp(more.all / kLookupsOfWindow, 0.0, 1.0));
  Lookups recent = more;
  recent.Add(recent_, left);
  recent_ = recent;
  // Nobody knows since when the first sample was counted.
  if (last_time_ >= 0) {
    timed_lookups_ = timed_lookups_ * left + more.all;
    seconds_ = seconds_ * left + seconds - last_time_;
  }
  last_time_ = seconds;
  if (recent_.all < kFewestOfWindow) return;
  seen_.least = std::min(seen_.least, recent_.fewest_hits / recent_.all);
  seen_.most = std::max(seen_.most, recent_.hits / recent_.all);
}

void LookupWindow::Rewrite(double share) {
  if (recent_.all < kFewestOfWindow) return;
  const double left = std::pow(kLeftAfterWindow, share);
  seen_.least = std::lerp(recent_.fewest_hits / recent_.all, seen_.least, left);
  seen_.most = std::lerp(recent_.hits / recent_.all, seen_.most, left);
}

HitRange LookupWindow::shares() const {
  const double all = std::max(1.0, recent_.all);
  return {std::min(seen_.least, recent_.fewest_hits / all),
          std::max(seen_.most, recent_.hits / all)};
}

HitRange LookupWindow::hits() const {
  const HitRange range = shares();
  return HitRange::Of(range.least * recent_.all, range.most * recent_.all,
                      recent_.all);
}

double LookupWindow::filters_read() const {
  if (recent_.all < kFewestOfWindow) return 0;
  return 2 * recent_.all / std::max(1.0, recent_.squares_of_gaps);
}

double LookupWindow::rate() const {
  return seconds_ > 0 ? timed_lookups_ / seconds_ : -1;
}

double LookupWindow::scanned() const {
  return std::max(0.0, recent_.data_blocks - recent_.data_blocks_of_lookups) /
         std::max(1.0, recent_.all);
}

// n (n + 1) of n lookups: n n would tell a share p of lookups that read one as
// 2p / (2 - p). Linear beyond kFarApart, or silence would outweigh many reads.
double AnswerSample::SquaresOfGaps(bool is_read) {
  const auto counted = statistics.lock();
  // Statistics lock to sum over cores; reads at the same time are as one.
  if (counted == nullptr ||
      (is_read && (is_mixed || is_counting_.exchange(true)))) {
    return squares_;
  }
  const uint64_t now = counted->getTickerCount(rocksdb::MEMTABLE_MISS);
  const double gap =
      Since(is_read ? last_read_.exchange(now) : last_read_.load(), now);
  const double near = std::min(gap, kFarApart);
  const double square = near * (2 * gap - near + 1);
  if (!is_read) return squares_ + square;
  is_counting_ = false;
  return squares_ += square;
}

void ProbedTrees::Add(const TreeState& tree) {
  double runs = 0;
  double rates = 0;
  double rows = 0;
  const auto add = [&](const FileTotals& run) {
    if (run.keys <= 0) {
      unfiltered_ += run.all_rows();
      return;
    }
    ++runs;
    rates += run.passed / run.all_rows();
    rows += run.all_rows();
    ambiguous_ += run.ambiguous;
    probes_of_rows_ += runs * run.all_rows();
  };
  for (const FileTotals& file : tree.level0) add(file);
  for (const auto& [level, run] : tree.levels) add(run);
  rows_ += rows;
  runs_ += rows * runs;
  rates_ += rows * rates;
}

Lookups ProbedTrees::Behind(double probes, double positives) const {
  if (runs_ <= 0) return {};
  const double rate = rates_ / runs_;
  const double hits = (positives - rate * probes) / (1 - rate);
  const double misses =
      (probes - hits * probes_of_rows_ / rows_) * rows_ / runs_;
  return {.all = hits + misses, .hits = hits, .fewest_hits = hits};
}

HitRange ProbedTrees::Hits(double sampled, const HitRange& seen) const {
  if (runs_ <= 0 || unfiltered_ > kMostUnfiltered * rows_) return {};
  // Two standard deviations of a number of independent events: false positives
  // are some, too.
  const double false_positives = rates_ / rows_ * sampled;
  const auto noise = [&](double share) {
    return 2 * std::sqrt(share * sampled + false_positives + 1) /
           std::max(1.0, sampled);
  };
  const double least =
      std::clamp(seen.least - noise(std::max(0.0, seen.least)), 0.0, 1.0);
  const double most =
      std::clamp(seen.most + noise(std::max(0.0, seen.most)), 0.0, 1.0);
  const double all = kProbesPerSample * sampled;
  HitRange range = HitRange::Of(least * all, most * all, all);
  if (ambiguous_ > 0) range.least = 0;
  return range;
}

}  // namespace linebloom
