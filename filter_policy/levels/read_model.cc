#include "filter_policy/levels/read_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/levels/allocation.h"
#include "filter_policy/levels/cache_model.h"
#include "filter_policy/line/line.h"

namespace linebloom::read_model {
namespace {

constexpr double kMinAverage = 1;
constexpr double kMaxAverage = 16;
constexpr double kUsualAverage = 10;
constexpr double kStep = 0.25;

// Within this factor of the fewest expected reads, or this many more per
// lookup, choices count as equal.
constexpr double kAsGood = 1.002;
constexpr double kTooFewToCount = 1e-6;

// What the cache charges for each block beside its bytes: RocksDB's handle, the
// object around the block and what malloc rounds up (7.8.3, blocks of 4 KB).
constexpr double kBlockOverhead = 200;

// What each partition of a filter takes beyond its share: half a line and the
// last bytes.
constexpr double kPartitionOverhead = 50;

// Metadata, and rounding up to whole lines.
constexpr double kFilterOverhead = 31;

double KeysOf(const Run& run) {
  double keys = 0;
  for (const Files& files : run.files) keys += files.filter_keys;
  return keys;
}

double RowsOf(const Run& run) {
  double rows = 0;
  for (const Files& files : run.files) rows += files.rows;
  return rows;
}

// The bits per key of each run's new files.
std::vector<double> BitsOf(const std::vector<Run>& runs, const Choice& choice) {
  std::vector<double> keys;
  for (const Run& run : runs) keys.push_back(std::max(1.0, KeysOf(run)));
  if (!choice.filters_last_run) keys.pop_back();
  std::vector<double> bits(keys.size(), choice.average_bits);
  if (choice.by_level && !keys.empty()) {
    bits = BitsOfRuns(keys, choice.average_bits, LineKind::kSolved);
  }
  bits.resize(runs.size());
  return bits;
}

// What a cache has limited: its bytes, or how many blocks it has.
enum class Limit { kBytes, kBlocks };

// What lookups request, and what a cache with one of its limits has of it.
class Requests {
 public:
  Requests(const Cache& cache, Limit limit, const Load& load)
      : cache_(cache), limit_(limit), load_(load) {}

  // `share` of all lookups, and of all blocks that are scanned. The tree has
  // rows.
  void Add(const Tree& tree, double share, const Choice& choice);

  // Leaves `model` as the next call may begin with it.
  Reads Solve(CacheModel* model) const;

 private:
  // Alike blocks, and the requests for all of them.
  struct Blocks {
    double Reads::*kind;
    double count;
    double size;  // of each, with overhead
    double requests;

    double rate() const { return requests / count; }
  };

  // Requests of lookups for files: whether they look for rows of other files,
  // or find one here.
  struct Lookups {
    double foreign;
    double own;
  };

  void Add(const Files& files, const Filters& filters, bool pinned,
           const Lookups& lookups, double scanned_blocks);
  double Partition(const Files& files, double* filter_bytes);
  void AddMetadata(double Reads::*kind, double bytes, double blocks,
                   double requests, bool pinned);
  void AddBlocks(double Reads::*kind, double count, double bytes,
                 double requests);

  bool IsOfHighPriority(const Blocks& blocks) const {
    return blocks.kind != &Reads::data && cache_.high_priority_metadata;
  }
  double SizeOf(double block_bytes) const {
    return limit_ == Limit::kBytes ? block_bytes + kBlockOverhead : 1;
  }
  double ShardSize() const {
    return (limit_ == Limit::kBytes ? cache_.capacity : cache_.slots) /
           cache_.shards;
  }
  double HalfABlock() const;
  double Unevenness(const CacheModel& model) const;
  Reads SolveShard(double share, CacheModel* model) const;

  const Cache& cache_;
  const Limit limit_;
  const Load& load_;
  std::vector<Blocks> blocks_;
  double pinned_ = 0;
  Reads reads_;
};

// The filters that new files with so many bits per key get.
Filters FiltersOf(const Files& files, double bits) {
  if (files.filter_keys <= 0 || bits <= 0) return {};
  constexpr double kGroupBytes = kLinesPerGroup * kLineBytes;
  const double groups = files.filter_keys * bits / 8 / kGroupBytes;
  return {groups * (kGroupBytes + 1) + files.count * kFilterOverhead,
          RateOf(bits)};
}

void Requests::Add(const Tree& tree, double share, const Choice& choice) {
  double rows = 0;
  double data_blocks = 0;
  for (const Run& run : tree.runs) {
    rows += RowsOf(run);
    for (const Files& files : run.files) data_blocks += files.data_blocks;
  }
  const std::vector<double> bits = BitsOf(tree.runs, choice);
  double older_rows = rows;
  for (size_t i = 0; i < tree.runs.size(); ++i) {
    const Run& run = tree.runs[i];
    const double rows_of_run = RowsOf(run);
    older_rows -= rows_of_run;
    // Lookups that hit a newer run don't get here.
    const double hit_here_or_newer = load_.hit_share * (1 - older_rows / rows);
    for (const Files& files : run.files) {
      if (files.rows <= 0) continue;
      const Lookups lookups = {share * (1 - hit_here_or_newer) * run.covered *
                                   files.rows / rows_of_run,
                               share * load_.hit_share * files.rows / rows};
      const double scanned = data_blocks > 0
                                 ? share * load_.scanned_blocks_per_lookup *
                                       files.data_blocks / data_blocks
                                 : 0;
      Add(files, files.kept.value_or(FiltersOf(files, bits[i])),
          run.level0 && cache_.pin_level0, lookups, scanned);
    }
  }
}

void Requests::Add(const Files& files, const Filters& filters, bool pinned,
                   const Lookups& lookups, double scanned_blocks) {
  const double passed = lookups.foreign * filters.rate + lookups.own;
  double filter_bytes = filters.bytes;
  if (cache_.holds_metadata) {
    double blocks = files.count;
    if (cache_.partitioned) blocks = Partition(files, &filter_bytes);
    AddMetadata(&Reads::filter, filter_bytes, blocks,
                lookups.foreign + lookups.own, pinned);
    AddMetadata(&Reads::index, files.index_bytes, blocks, passed, pinned);
  }
  AddBlocks(&Reads::data, files.data_blocks,
            files.data_bytes / std::max(1.0, files.data_blocks),
            passed + scanned_blocks);
  reads_.filter_bytes += filter_bytes;
  reads_.index_bytes += files.index_bytes;
}

// Returns how many partitions the filters have, and the indexes.
double Requests::Partition(const Files& files, double* filter_bytes) {
  // RocksDB cuts filters and indexes at the same keys, whichever is full first
  // (without decouple_partitioned_filters). Files are of unlike sizes, so that
  // half a block more than fills them counts best; but with it in bytes too,
  // reads beside an LRU cache were 1.01 times as many (median of 79 cells).
  const double full = std::max(*filter_bytes, files.index_bytes) / files.count /
                      cache_.metadata_block_bytes;
  const double blocks =
      files.count *
      (limit_ == Limit::kBytes ? std::ceil(full) : std::max(1.0, full + 0.5));
  // The index over the partitions is pinned, by default.
  const double entry = files.index_bytes / std::max(1.0, files.data_blocks);
  const int indexes = *filter_bytes > 0 ? 2 : 1;
  pinned_ += indexes * files.count * SizeOf(blocks / files.count * entry);
  if (*filter_bytes > 0) *filter_bytes += blocks * kPartitionOverhead;
  return blocks;
}

void Requests::AddMetadata(double Reads::*kind, double bytes, double blocks,
                           double requests, bool pinned) {
  if (bytes <= 0 || blocks <= 0) return;
  if (pinned) {
    pinned_ += blocks * SizeOf(bytes / blocks);
  } else {
    AddBlocks(kind, blocks, bytes / blocks, requests);
  }
}

void Requests::AddBlocks(double Reads::*kind, double count, double bytes,
                         double requests) {
  if (count <= 0 || requests <= 0) return;
  if (SizeOf(bytes) > ShardSize()) {  // never in the cache
    reads_.*kind += requests;
  } else {
    blocks_.push_back({kind, count, SizeOf(bytes), requests});
  }
}

// What a shard full of filters has empty on average: it evicts whole blocks.
// Without it reads at the cliff came out at half of what was measured.
double Requests::HalfABlock() const {
  double size = 0;
  double squares = 0;
  for (const Blocks& blocks : blocks_) {
    if (blocks.kind == &Reads::data) continue;
    size += blocks.count * blocks.size;
    squares += blocks.count * blocks.size * blocks.size;
  }
  return size > 0 ? squares / size / 2 : 0;
}

// What the blocks of a shard read that has `share` times as many as the mean.
Reads Requests::SolveShard(double share, CacheModel* model) const {
  model->Clear();
  for (const Blocks& blocks : blocks_) {
    model->Add(share * blocks.count * blocks.size / cache_.shards,
               blocks.rate(), IsOfHighPriority(blocks));
  }
  model->Solve(ShardSize() - share * pinned_ / cache_.shards - HalfABlock(),
               cache_.high_priority_share);
  Reads reads;
  for (const Blocks& blocks : blocks_) {
    reads.*blocks.kind +=
        share * blocks.requests *
        model->MissRatio(blocks.rate(), IsOfHighPriority(blocks));
  }
  return reads;
}

// The standard deviation of the size that a shard is to hold, relative to
// their mean: `model` says which blocks these are. Each block is in each shard
// with the same probability.
double Requests::Unevenness(const CacheModel& model) const {
  double size = 0;
  double squares = 0;
  for (const Blocks& blocks : blocks_) {
    const double held =
        blocks.count * blocks.size *
        (1 - model.MissRatio(blocks.rate(), IsOfHighPriority(blocks)));
    size += held;
    squares += held * blocks.size;
  }
  return size > 0 ? std::sqrt((cache_.shards - 1) * squares) / size : 0;
}

// Shards are not equally full. How full is about normally distributed, over
// which this is a Gauss-Hermite quadrature of five points.
//
// Rejected: equal shards. Beside RocksDB's LRUCache of 4 MB in 8 shards, for
// filters and indexes of 3.8 MB in 36 files, the bits that were then chosen
// read 18 times the best; with this 1.7 times.
Reads Requests::Solve(CacheModel* model) const {
  struct Point {
    double place;  // in standard deviations
    double weight;
  };
  constexpr Point kMean = {0, 8.0 / 15};
  constexpr std::array<Point, 4> kOthers = {{{-1.355626, 0.2220759},
                                             {1.355626, 0.2220759},
                                             {-2.856970, 0.0112574},
                                             {2.856970, 0.0112574}}};
  Reads reads = reads_;
  const auto add = [&](double share, double weight) {
    const Reads more = SolveShard(share, model);
    for (double Reads::*kind : {&Reads::filter, &Reads::index, &Reads::data}) {
      reads.*kind += weight * more.*kind;
    }
  };
  const bool is_sharded = cache_.shards > 1;
  add(1, is_sharded ? kMean.weight : 1);
  if (!is_sharded) return reads;
  const double unevenness = Unevenness(*model);
  for (const Point& point : kOthers) {
    add(std::max(0.0, 1 + point.place * unevenness), point.weight);
  }
  return reads;
}

Reads ExpectWith(Limit limit, const std::vector<Tree>& trees,
                 const Cache& cache, const Load& load, const Choice& choice,
                 CacheModel* model) {
  double all_lookups = 0;
  double all_rows = 0;
  for (const Tree& tree : trees) {
    all_lookups += tree.lookups;
    for (const Run& run : tree.runs) all_rows += RowsOf(run);
  }
  Requests requests(cache, limit, load);
  for (const Tree& tree : trees) {
    double rows = 0;
    for (const Run& run : tree.runs) rows += RowsOf(run);
    if (rows <= 0) continue;
    requests.Add(tree,
                 all_lookups > 0 ? tree.lookups / all_lookups : rows / all_rows,
                 choice);
  }
  return requests.Solve(model);
}

// The limit that costs more is the one that is reached.
Reads Expect(const std::vector<Tree>& trees, const Cache& cache,
             const Load& load, const Choice& choice, CacheModel* model) {
  const Reads by_bytes =
      ExpectWith(Limit::kBytes, trees, cache, load, choice, model);
  if (std::isinf(cache.slots)) return by_bytes;
  const Reads by_blocks =
      ExpectWith(Limit::kBlocks, trees, cache, load, choice, model);
  return by_blocks.all() > by_bytes.all() ? by_blocks : by_bytes;
}

struct Tried {
  Choice choice;
  double reads;
};

// Of those that read about as little as the best the one next to the usual
// average, with filters in the last run.
Choice NextToUsual(const std::vector<Tried>& tried, double least) {
  const double most = kAsGood * least + kTooFewToCount;
  const auto cost = [most](const Tried& t) {
    return std::tuple(t.reads > most, !t.choice.filters_last_run,
                      std::abs(t.choice.average_bits - kUsualAverage));
  };
  return std::ranges::min_element(tried, {}, cost)->choice;
}

}  // namespace

// The rate of solved lines, which are built as plain ones below
// kMinSolvedMillibits. A plain line's takes some 20 microseconds, so those are
// computed once.
double RateOf(double bits) {
  constexpr double kPlainStep = 1.0 / 16;
  constexpr double kMinSolved = 1.0 * kMinSolvedMillibits / kMillibitsPerBit;
  const auto rate = [](LineKind line, double of_bits) {
    return ExpectedRate(line, static_cast<uint32_t>(of_bits * kMillibitsPerBit),
                        kBitsPerLine / of_bits);
  };
  if (bits <= 0) return 1;
  if (bits >= kMinSolved) return rate(LineKind::kSolved, bits);
  constexpr auto kPoints =
      static_cast<size_t>((kMinSolved - kMinBitsOfRun) / kPlainStep) + 1;
  static const auto plain_rates = [&] {
    std::array<double, kPoints + 1> rates = {};
    for (size_t i = 0; i < rates.size(); ++i) {
      rates[i] = rate(LineKind::kPlain, kMinBitsOfRun + i * kPlainStep);
    }
    return rates;
  }();
  const double place = std::max(0.0, bits - kMinBitsOfRun) / kPlainStep;
  const auto i = std::min(static_cast<size_t>(place), kPoints - 1);
  return std::lerp(plain_rates[i], plain_rates[i + 1], place - i);
}

void Run::Add(const Files& file) {
  const auto size_of = [](const Files& f) {
    return std::lround(std::log2(std::max(1.0, f.rows / f.count)));
  };
  const auto alike = std::ranges::find_if(files, [&](const Files& f) {
    return size_of(f) == size_of(file) &&
           f.kept.has_value() == file.kept.has_value() &&
           (!f.kept || (f.kept->bytes > 0) == (file.kept->bytes > 0));
  });
  if (alike == files.end()) {
    files.push_back(file);
    return;
  }
  if (file.kept) {
    const double rows = std::max(1.0, alike->rows + file.rows);
    alike->kept->rate +=
        (file.kept->rate - alike->kept->rate) * file.rows / rows;
    alike->kept->bytes += file.kept->bytes;
  }
  alike->count += file.count;
  alike->rows += file.rows;
  alike->filter_keys += file.filter_keys;
  alike->index_bytes += file.index_bytes;
  alike->data_blocks += file.data_blocks;
  alike->data_bytes += file.data_bytes;
}

Reads ReadsPerLookup(const std::vector<Tree>& trees, const Cache& cache,
                     const Load& load, const Choice& choice) {
  CacheModel model;
  return Expect(trees, cache, load, choice, &model);
}

Choice BestChoice(const std::vector<Tree>& trees, const Cache& cache,
                  const Load& load) {
  Cache used = cache;
  used.capacity *= kUsedShare;
  used.slots *= kUsedShare;
  CacheModel model;
  std::vector<Tried> tried;
  Tried best = {{}, HUGE_VAL};
  const auto try_choice = [&](const Choice& choice) {
    const double reads = Expect(trees, used, load, choice, &model).all();
    tried.push_back({choice, reads});
    if (reads < best.reads) best = tried.back();
  };
  for (const bool filters_last_run : {true, false}) {
    if (!filters_last_run && !load.counted) continue;
    for (double bits = kMinAverage; bits <= kMaxAverage; ++bits) {
      try_choice({bits, filters_last_run});
    }
  }
  // Rejected: all quarters from the start. It takes 2.5 times as long, and read
  // more than 2 % less in 2 of 1,500 random trees, 5 % at most.
  const Choice whole = best.choice;
  for (double more = kStep - 1; more < 1; more += kStep) {
    const double bits = whole.average_bits + more;
    if (more != 0 && bits >= kMinAverage && bits <= kMaxAverage) {
      try_choice({bits, whole.filters_last_run});
    }
  }
  return NextToUsual(tried, best.reads);
}

}  // namespace linebloom::read_model
