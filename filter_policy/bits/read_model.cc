#include "filter_policy/bits/read_model.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "filter_policy/bits/allocation.h"
#include "filter_policy/bits/cache_model.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"
#include "linebloom/filter_policy.h"

namespace linebloom::read_model {
namespace {

constexpr double kMinAverage = 1;
constexpr double kMaxAverage = 16;
constexpr double kStep = 0.25;

// Within this factor of the least regret choices count as equal.
constexpr double kAsGood = 1.002;

// Nobody notices fewer reads per lookup.
constexpr double kUnnoticed = 0.0005;

// What each partition of a filter takes beyond its share: half a line and the
// last bytes.
constexpr double kPartitionOverhead = 50;

// Metadata, and rounding up to whole lines.
constexpr double kFilterOverhead = 31;

// The bits per key of each run's new files.
std::vector<double> BitsOf(const Tree& tree, const Choice& choice) {
  std::vector<double> keys;
  for (const Run& run : tree.runs) {
    keys.push_back(std::max(1.0, run.filter_keys));
  }
  std::vector<double> bits(keys.size(), choice.average_bits);
  if (choice.by_level && !keys.empty()) {
    bits = BitsOfRuns(keys, choice.average_bits, tree.line);
  }
  return bits;
}

// The filters of these lines that new files with so many bits per key get.
Filters FiltersOf(const Run& run, LineKind line, double bits) {
  if (run.filter_keys <= 0 || bits <= 0) return {};
  const double bytes_per_line =
      1.0 * BytesOfLines(line, kLinesPerGroup) / kLinesPerGroup;
  return {run.filter_keys * bits / kBitsPerLine * bytes_per_line +
              run.count * kFilterOverhead,
          RateOf(line, bits)};
}

// Gives runs that keep no filters those of `choice`.
void SetFilters(const Choice& choice, Tree* tree) {
  const std::vector<double> bits = BitsOf(*tree, choice);
  for (size_t i = 0; i < tree->runs.size(); ++i) {
    Run& run = tree->runs[i];
    if (!run.kept) run.kept = FiltersOf(run, tree->line, bits[i]);
  }
}

enum Kind { kFilter, kIndex, kData };
constexpr std::array kKinds = {&Reads::filter, &Reads::index, &Reads::data};

// Blocks of about one rate: sums over all of them.
struct Blocks {
  double count = 0;
  double size = 0;     // with overhead
  double squares = 0;  // of sizes
  double requests = 0;

  double rate() const { return requests / count; }
};

// What lookups of a load request of trees whose files all have their filters,
// and what a cache has of it.
class Requests {
 public:
  Requests(const std::vector<Tree>& trees, const Cache& cache,
           const Load& load);

  // Leaves `model` as the next call may begin with it.
  Reads Solve(CacheModel* model) const;

 private:
  // Of all lookups, and of all blocks that are scanned, this tree has `share`.
  // It has rows.
  void Add(const Tree& tree, double share);
  // Lookups that ask for other rows than a run's, and those that find one
  // there.
  void Add(const Run& run, double others, double hits, double scanned);
  double Partition(const Run& run, double* filter_bytes);
  void AddMetadata(Kind kind, double bytes, double blocks, double requests,
                   bool pinned);
  void AddBlocks(Kind kind, double count, double bytes, double requests);

  bool IsPinned(const Run& run) const {
    return cache_.pinned == Pinned::kAll ||
           (run.level0 && cache_.pinned == Pinned::kLevel0);
  }
  bool IsOfHighPriority(Kind kind) const {
    return kind != kData && cache_.high_priority_metadata;
  }
  // Each block takes a slot, as if it had at least a slot's part of the bytes.
  double SizeOf(double block_bytes) const {
    return std::max(block_bytes + kBlockOverhead,
                    cache_.capacity / cache_.slots);
  }
  double ShardSize() const { return cache_.capacity / cache_.shards; }

  const Cache& cache_;
  const Load& load_;
  std::map<std::pair<Kind, int64_t>, Blocks> blocks_;  // by rate
  Reads uncached_;  // of blocks that are larger than a shard
  // What stays in the cache. RocksDB pins more than a cache has room for, but
  // nobody wants that: it is as if the blocks were read for each request.
  Reads of_pinned_;
  double pinned_ = 0;
};

Requests::Requests(const std::vector<Tree>& trees, const Cache& cache,
                   const Load& load)
    : cache_(cache), load_(load) {
  double all_lookups = 0;
  double all_rows = 0;
  for (const Tree& tree : trees) {
    all_lookups += tree.lookups;
    all_rows += RowsOf(tree);
  }
  for (const Tree& tree : trees) {
    const double rows = RowsOf(tree);
    if (rows <= 0) continue;
    Add(tree, all_lookups > 0 ? tree.lookups / all_lookups : rows / all_rows);
  }
}

void Requests::Add(const Tree& tree, double share) {
  const double rows = RowsOf(tree);
  double data_blocks = 0;
  for (const Run& run : tree.runs) data_blocks += run.data_blocks;
  double older_rows = rows;
  for (const Run& run : tree.runs) {
    if (run.rows <= 0) continue;
    older_rows -= run.rows;
    // Lookups that hit here or in a newer run don't look for other rows.
    const double others = 1 - load_.hit_share * (1 - older_rows / rows);
    const double blocks = data_blocks > 0 ? run.data_blocks / data_blocks : 0;
    Add(run, share * run.covered * others,
        share * load_.hit_share * run.rows / rows,
        share * load_.scanned_blocks_per_lookup * blocks);
  }
}

void Requests::Add(const Run& run, double others, double hits, double scanned) {
  const Filters filters = run.kept.value_or(Filters());
  const double passed = hits + others * filters.rate;
  double filter_bytes = filters.bytes;
  if (cache_.holds_metadata) {
    double blocks = run.count;
    if (cache_.partitioned) blocks = Partition(run, &filter_bytes);
    AddMetadata(kFilter, filter_bytes, blocks, hits + others, IsPinned(run));
    AddMetadata(kIndex, run.index_bytes, blocks, passed, IsPinned(run));
  }
  AddBlocks(kData, run.data_blocks,
            run.data_bytes / std::max(1.0, run.data_blocks), passed + scanned);
  uncached_.filter_bytes += filter_bytes;
  uncached_.index_bytes += run.index_bytes;
}

// Returns how many partitions the filters have, and the indexes.
double Requests::Partition(const Run& run, double* filter_bytes) {
  // RocksDB cuts filters and indexes at the same keys, whichever is full first
  // (without decouple_partitioned_filters). A file's last partition is half
  // full on average. Rejected: rounding up. Files of about one partition got 3
  // bits and 5.5 by turns, and lookups read 1.3 times as much.
  const double full =
      std::max(*filter_bytes, run.index_bytes) / cache_.metadata_block_bytes;
  const double blocks = std::max(run.count, full + run.count / 2);
  // The index over the partitions is pinned, by default.
  const double entry = run.index_bytes / std::max(1.0, run.data_blocks);
  const int indexes = *filter_bytes > 0 ? 2 : 1;
  pinned_ += indexes * run.count * SizeOf(blocks / run.count * entry);
  if (*filter_bytes > 0) *filter_bytes += blocks * kPartitionOverhead;
  return blocks;
}

void Requests::AddMetadata(Kind kind, double bytes, double blocks,
                           double requests, bool pinned) {
  if (bytes <= 0 || blocks <= 0) return;
  if (pinned) {
    pinned_ += blocks * SizeOf(bytes / blocks);
    of_pinned_.*kKinds[kind] += requests;
  } else {
    AddBlocks(kind, blocks, bytes / blocks, requests);
  }
}

void Requests::AddBlocks(Kind kind, double count, double bytes,
                         double requests) {
  if (count <= 0 || requests <= 0) return;
  const double size = SizeOf(bytes);
  if (size > ShardSize()) {
    uncached_.*kKinds[kind] += requests;
    return;
  }
  constexpr double kAlike = 1.2;
  Blocks& alike = blocks_[{
      kind, std::lround(std::log(requests / count) / std::log(kAlike))}];
  alike.count += count;
  alike.size += count * size;
  alike.squares += count * size * size;
  alike.requests += requests;
}

// Shards are not equally full: each block is in each shard with the same
// probability, so that their sizes are about normally distributed, over which
// this is a Gauss-Hermite quadrature.
//
// Rejected: equal shards. Beside RocksDB's LRUCache of 4 MB in 8 shards, for
// filters and indexes of 3.8 MB in 36 files, the bits that were then chosen
// read 18 times the best; with this 1.7 times.
Reads Requests::Solve(CacheModel* model) const {
  struct Point {
    double place;  // in standard deviations
    double weight;
  };
  constexpr std::array<Point, 5> kPoints = {{{0, 8.0 / 15},
                                             {-1.355626, 0.2220759},
                                             {1.355626, 0.2220759},
                                             {-2.856970, 0.0112574},
                                             {2.856970, 0.0112574}}};
  model->Clear();
  double size = 0;  // of metadata
  double squares = 0;
  for (const auto& [key, some] : blocks_) {
    model->Add(some.size / cache_.shards, some.rate(),
               IsOfHighPriority(key.first));
    if (key.first == kData) continue;
    size += some.size;
    squares += some.squares;
  }
  Reads reads = uncached_;
  if (pinned_ > cache_.capacity) {
    for (const auto kind : kKinds) reads.*kind += of_pinned_.*kind;
  }
  // What a shard full of filters has empty on average: it evicts whole blocks.
  // Without it reads at the cliff came out at half of what was measured.
  const double empty = size > 0 ? squares / size / 2 : 0;
  const bool is_sharded = cache_.shards > 1;
  double held = 0;  // of the mean shard's blocks, their size
  double held_squares = 0;
  for (const Point& point : kPoints) {
    const double deviation =
        held > 0 ? std::sqrt((cache_.shards - 1) * held_squares) / held : 0;
    // Such a shard has `share` times the blocks of the mean: its size by that
    // of the mean's blocks.
    const double share = 1 + point.place * deviation;
    if (share <= 0) continue;
    model->Solve((ShardSize() - empty) / share - pinned_ / cache_.shards,
                 cache_.high_priority_share);
    for (const auto& [key, some] : blocks_) {
      const double missed =
          model->MissRatio(some.rate(), IsOfHighPriority(key.first));
      reads.*kKinds[key.first] +=
          (is_sharded ? point.weight * share : 1) * missed * some.requests;
      if (point.place != 0) continue;
      held += (1 - missed) * some.size;
      held_squares += (1 - missed) * some.squares;
    }
    if (!is_sharded) break;
  }
  return reads;
}

struct Tried {
  Choice choice;
  std::vector<double> reads = {};  // by load
  double regret = 1;
};

// Sets how many times a load's fewest reads, or `enough` if that is more, each
// choice reads at most. Returns a choice of least regret.
const Tried& SetRegret(const std::vector<double>& enough,
                       std::vector<Tried>* tried) {
  for (size_t i = 0; i < enough.size(); ++i) {
    double fewest = HUGE_VAL;
    for (const Tried& t : *tried) fewest = std::min(fewest, t.reads[i]);
    const double yardstick = std::max(fewest, enough[i]) + kUnnoticed;
    for (Tried& t : *tried) {
      t.regret = std::max(t.regret, (t.reads[i] + kUnnoticed) / yardstick);
    }
  }
  return *std::ranges::min_element(*tried, {}, &Tried::regret);
}

}  // namespace

double RowsOf(const Tree& tree) {
  double rows = 0;
  for (const Run& run : tree.runs) rows += run.rows;
  return rows;
}

Cache PartOf(Cache cache, double share) {
  cache.capacity *= share;
  cache.slots *= share;
  return cache;
}

std::vector<Tree> Renewed(std::vector<Tree> trees) {
  for (Tree& tree : trees) {
    if (!tree.renews) continue;
    for (Run& run : tree.runs) run.kept.reset();
  }
  return trees;
}

Tree WithFilters(Tree tree, const Choice& choice) {
  for (Run& run : tree.runs) run.kept.reset();
  SetFilters(choice, &tree);
  return tree;
}

std::vector<Load> LoadsBetween(double least_hits, double most_hits,
                               double scanned_blocks_per_lookup) {
  // What is best moves little within a tenth, and below 0.05 % of hits.
  if (most_hits < 1.1 * least_hits + 0.0005) {
    return {{(least_hits + most_hits) / 2, scanned_blocks_per_lookup}};
  }
  std::vector<Load> loads = {{least_hits, scanned_blocks_per_lookup}};
  for (const double hits : {0.003, 0.01, 0.03, 0.1, 0.3}) {
    if (hits > 1.5 * least_hits + 0.0005 && 1.5 * hits < most_hits) {
      loads.push_back({hits, scanned_blocks_per_lookup});
    }
  }
  loads.push_back({most_hits, scanned_blocks_per_lookup});
  return loads;
}

Reads ReadsPerLookup(std::vector<Tree> trees, const Cache& cache,
                     const Load& load, const Choice& choice) {
  for (Tree& tree : trees) SetFilters(choice, &tree);
  CacheModel model;
  return Requests(trees, cache, load).Solve(&model);
}

Choice BestChoice(const std::vector<Tree>& trees, const Cache& cache,
                  const std::vector<Load>& loads) {
  const Cache used = PartOf(cache, kUsedShare);
  std::vector<double> enough(loads.size());  // reads
  for (size_t i = 0; i < loads.size(); ++i) {
    if (loads[i].is_likely) continue;
    std::vector<Tree> bloom = trees;
    for (Tree& tree : bloom) tree.line = LineKind::kPlain;
    const Choice usual = {kDefaultBitsPerKey, /*by_level=*/false};
    enough[i] = ReadsPerLookup(bloom, used, loads[i], usual).all();
  }
  std::vector<CacheModel> models(loads.size());
  std::vector<Tried> tried;
  const auto try_choice = [&](double bits) {
    std::vector<Tree> with = trees;
    Tried& now = tried.emplace_back(Tried{{bits}});
    for (Tree& tree : with) SetFilters(now.choice, &tree);
    for (size_t i = 0; i < loads.size(); ++i) {
      now.reads.push_back(
          Requests(with, used, loads[i]).Solve(&models[i]).all());
    }
  };
  for (double bits = kMinAverage; bits <= kMaxAverage; ++bits) try_choice(bits);
  // Rejected: all quarters from the start. It takes 2.5 times as long, and read
  // more than 2 % less in 2 of 1,500 random trees, 5 % at most.
  const double whole = SetRegret(enough, &tried).choice.average_bits;
  for (double more = kStep - 1; more < 1; more += kStep) {
    const double bits = whole + more;
    if (more != 0 && bits >= kMinAverage && bits <= kMaxAverage) {
      try_choice(bits);
    }
  }
  // Of about the least regret the one next to the usual average.
  const double least = SetRegret(enough, &tried).regret;
  const auto cost = [least](const Tried& t) {
    return std::pair(t.regret > kAsGood * least,
                     std::abs(t.choice.average_bits - kDefaultBitsPerKey));
  };
  return std::ranges::min_element(tried, {}, cost)->choice;
}

}  // namespace linebloom::read_model
