#include "filter_policy/bits/auto_bits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "filter_policy/tree/ledger.h"

namespace linebloom {
namespace {

// A choice stays as it is if nothing moved by more than this: it is in steps of
// a quarter of a bit, which is at least as much.
constexpr double kMoved = 0.03;

// Filters that a lookup reads: fewer than this many, or than this many times
// the expected ones, don't tell of others.
constexpr double kUnnoticed = 0.002;
constexpr double kAlike = 1.25;

// Of what others have, once the trees are rewritten without such reads.
constexpr double kLeftAfterLife = 0.1;

// The choices of the process. Nobody has one of a cache that is gone.
std::shared_ptr<SteadyChoice> ChoiceOf(
    const std::shared_ptr<rocksdb::Cache>& cache) {
  static std::mutex mutex;
  static auto& choices =
      *new std::map<std::weak_ptr<rocksdb::Cache>,
                    std::shared_ptr<SteadyChoice>, std::owner_less<>>();
  const std::lock_guard<std::mutex> lock(mutex);
  std::erase_if(choices, [](const auto& c) { return c.first.expired(); });
  std::shared_ptr<SteadyChoice>& choice = choices[cache];
  if (choice == nullptr) choice = std::make_shared<SteadyChoice>();
  return choice;
}

// What a choice stands on. Shares and blocks that are near 0 say little.
auto NumbersOf(const CacheLoad& load) {
  const FileTotals& files = load.totals;
  return std::array{load.cache.capacity,
                    load.cache.shards,
                    static_cast<double>(load.cache.partitioned),
                    static_cast<double>(load.cache.pinned),
                    files.all_rows(),
                    files.keys,
                    files.index_bytes,
                    files.data_bytes,
                    files.files,
                    static_cast<double>(load.sampled),
                    load.most_bits,
                    load.hits.least + 0.03,
                    load.hits.most + 0.03,
                    load.scanned_blocks_per_lookup + 0.3};
}

bool HasMoved(const CacheLoad& before, const CacheLoad& now) {
  return !std::ranges::equal(NumbersOf(before), NumbersOf(now),
                             [](double a, double b) {
                               return std::abs(b - a) <= kMoved * std::abs(a);
                             });
}

std::vector<read_model::Load> LoadsOf(const CacheLoad& load) {
  return read_model::LoadsBetween(load.hits.least, load.hits.most,
                                  load.scanned_blocks_per_lookup);
}

// The rows of the trees, and those once all were written again: by then the
// last run of each has as many as the whole tree has now.
std::pair<double, double> RowsNowAndOverwritten(
    const std::vector<read_model::Tree>& trees) {
  double now = 0;
  double of_last = 0;
  for (const read_model::Tree& tree : trees) {
    now += RowsOf(tree);
    if (!tree.runs.empty()) of_last += tree.runs.back().rows;
  }
  return {now, 2 * now - of_last};
}

// The share of the cache that its trees seem to have, after they seemed to have
// `before`: one that explains how many filters are read. Nothing tells that
// others have left but trying.
double ShareOf(const CacheLoad& load, double before) {
  const read_model::Load most_hits = LoadsOf(load).back();
  // The least with which so many are expected at most.
  const auto share_for = [&](double most) {
    double share = 1;
    for (double less = 0.45; most > 0 && less > 0.004; less /= 2) {
      const read_model::Reads reads = read_model::ReadsPerLookup(
          load.trees, PartOf(load.cache, share - less), most_hits, {});
      if (reads.filter <= most) share -= less;
    }
    return share;
  };
  const double read = load.filters_read;
  if (before == 1 && read <= kUnnoticed) return 1;
  const double least = share_for(kAlike * read + kUnnoticed);
  const double most = share_for(read / kAlike - kUnnoticed);
  if (before > most) return (least + most) / 2;
  const double left = std::pow(kLeftAfterLife, load.rewritten);
  return std::max(least, std::lerp(most, before, left));
}

}  // namespace

ReadRange ReadsOf(const std::vector<read_model::Tree>& trees,
                  const CacheLoad& load, const read_model::Choice& choice) {
  const std::vector<read_model::Load> loads = LoadsOf(load);
  const auto reads = [&](const read_model::Load& with) {
    return read_model::ReadsPerLookup(trees, load.cache, with, choice).all();
  };
  const double least_hits = reads(loads.front());
  return {least_hits, loads.size() == 1 ? least_hits : reads(loads.back())};
}

AutoBits BitsFor(const CacheLoad& load) {
  const std::vector<read_model::Tree> trees = read_model::Renewed(load.trees);
  std::vector<read_model::Load> loads = LoadsOf(load);
  // Nobody knows that lookups hit forever. Rejected: to believe it. A tree that
  // was overwritten while 95 % hit then read 144 blocks per 1,000 missing rows,
  // Bloom 41, with this 24. To believe 20 % at most: 54.
  if (loads.front().hit_share > 0) {
    loads.push_back({0, load.scanned_blocks_per_lookup, /*is_likely=*/false});
  }
  const auto best = [&](double share) {
    return read_model::BestChoice(trees, PartOf(load.cache, share), loads)
        .average_bits;
  };
  // Beside the cache, filters cost no reads.
  double bits = load.cache.holds_metadata ? best(1) : kDefaultBitsPerKey;
  // More than Bloom's only if they still fit when the tree has grown. Rejected:
  // what fits it as it is. Static levels that were loaded and then overwritten
  // in 450 KB read 192 blocks per 1,000 lookups for Bloom's 56, with this 4,
  // and a universal tree 331, with 10 bits 5.
  const auto [rows, overwritten] = RowsNowAndOverwritten(trees);
  const double most_rows = std::max(load.most_rows, overwritten);
  if (bits > kDefaultBitsPerKey) {
    bits = std::clamp(best(rows / most_rows), kDefaultBitsPerKey,
                      std::min(bits, load.most_bits));
  }
  return {.average_bits = bits,
          .is_chosen = true,
          .cache_bytes = load.cache.capacity,
          .index_bytes = load.totals.index_bytes,
          .hits = load.hits,
          .reads = ReadsOf(trees, load, {bits}),
          .is_sampled = load.sampled,
          .most_rows = most_rows};
}

AutoBits ChooseBits(const NewFile& file,
                    const rocksdb::BlockBasedTableOptions& table) {
  if (file.users_of == nullptr || table.block_cache == nullptr) return {};
  const CacheUsers users = file.users_of(file, table);
  if (users.families.empty()) return {};
  CacheLoad load = LoadOf(users, table);
  if (file.may_grow()) load.most_bits = kDefaultBitsPerKey;
  return ChoiceOf(table.block_cache)
      ->Next(std::move(load), std::bind_front(AddRuns, std::cref(users)));
}

AutoBits SteadyChoice::Next(CacheLoad load,
                            const std::function<void(CacheLoad*)>& add_runs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const double nominal = load.cache.capacity;
  // Iterators pin blocks for a moment.
  const double others = load.others();
  load.cache.capacity -= std::min(others, std::exchange(others_, others));
  rewritten_ += load.rewritten;
  if (bits_.is_chosen && rewritten_ < kMoved && !HasMoved(load_, load)) {
    return bits_;
  }
  load_ = load;
  load_.trees.clear();
  if (add_runs != nullptr) add_runs(&load);
  load.rewritten = std::exchange(rewritten_, 0);
  // After a compaction of all rows the upper levels fill up again.
  load.most_rows = bits_.most_rows;
  share_ = ShareOf(load, share_);
  load.cache = PartOf(load.cache, share_);
  bits_ = BitsFor(load);
  bits_.cache_bytes = nominal;
  bits_.others_bytes = nominal - load.cache.capacity;
  return bits_;
}

}  // namespace linebloom
