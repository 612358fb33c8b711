#include "tools/advise/lookup_costs.h"

#include <algorithm>
#include <cmath>

#include "tools/advise/cache_model.h"

namespace linebloom::tools {
namespace {

// What the cache charges for each block beside its bytes: RocksDB's handle, the
// object around the block and what malloc rounds up (7.8.3, blocks of 4 KB).
constexpr double kBlockOverhead = 200;

// What each partition of a filter takes beyond its share: half a line and the
// last bytes.
constexpr double kPartitionOverhead = 50;

// Blocks that are alike, and how many requests for all of them each kind of
// lookup makes.
struct Item {
  double Reads::*kind;
  double count;
  double bytes;  // of each, with overhead
  double per_missing;
  double per_present;
};

// A part of a file's range in which lookups are equally dense.
struct Piece {
  double of_file;  // share of its range
  double density;  // of lookups, relative to the mean over all keys

  double lookups() const { return of_file * density; }
};

std::vector<Piece> PiecesOf(const Stretch& place, const Skew& skew) {
  std::vector<Piece> pieces;
  const double width = std::max(place.share(), 1e-12);
  for (const Skew::Stretch& part : skew.stretches()) {
    const double common =
        std::min(place.end, part.end) - std::max(place.begin, part.begin);
    if (common <= 0) continue;
    pieces.push_back({common / width, part.lookups / (part.end - part.begin)});
  }
  return pieces;
}

class Items {
 public:
  Items(const std::vector<Tree>& trees,
        const std::vector<std::vector<FilterSize>>& filters,
        const CacheUse& use, const ExpectedLookups& lookups)
      : use_(use), lookups_(lookups) {
    for (size_t i = 0; i < trees.size(); ++i) AddTree(trees[i], filters[i]);
  }

  ExpectedReads Solve() {
    CacheModel model;
    for (const Item& item : items_) {
      if (item.bytes <= use_.capacity) {
        model.Add({item.count, item.bytes, RateOf(item), IsMeta(item)});
      }
    }
    model.Solve(use_.capacity - pinned_ - HalfABlock());
    for (const Item& item : items_) {
      const double missed = item.bytes <= use_.capacity
                                ? model.MissRatio(RateOf(item), IsMeta(item))
                                : 1;
      expected_.per_missing.*item.kind += missed * item.per_missing;
      expected_.per_present.*item.kind += missed * item.per_present;
    }
    return expected_;
  }

 private:
  // What a cache full of filters has empty on average: it evicts whole blocks.
  // Without it reads at the cliff came out at half of what was measured.
  double HalfABlock() const {
    double bytes = 0;
    double squares = 0;
    for (const Item& item : items_) {
      if (!IsMeta(item) || item.bytes > use_.capacity) continue;
      bytes += item.count * item.bytes;
      squares += item.count * item.bytes * item.bytes;
    }
    return bytes > 0 ? squares / bytes / 2 : 0;
  }

  static bool IsMeta(const Item& item) { return item.kind != &Reads::data; }

  // For each block.
  double RateOf(const Item& item) const {
    return ((1 - lookups_.hit_ratio) * item.per_missing +
            lookups_.hit_ratio * item.per_present) /
           item.count;
  }

  void AddTree(const Tree& tree, const std::vector<FilterSize>& filters) {
    double rows = 0;
    for (const TreeFile& file : tree.files) rows += file.rows;
    for (size_t i = 0; i < tree.files.size(); ++i) {
      const TreeFile& file = tree.files[i];
      pieces_ = PiecesOf(file.place, lookups_.skew);
      probes_ = {tree.share * file.place.share(),
                 tree.share * file.older_rows / rows,
                 tree.share * file.rows / rows};
      expected_.filter_bytes += filters[i].bytes;
      expected_.index_bytes += file.index_bytes;
      const double rate = filters[i].bytes > 0 ? filters[i].rate : 1;
      // RocksDB cuts filters and indexes at the same keys, whichever is full
      // first (without decouple_partitioned_filters).
      const double blocks =
          use_.partitioned
              ? std::ceil(std::max(filters[i].bytes, file.index_bytes) /
                          use_.metadata_block_bytes)
              : 1;
      const double more = use_.partitioned ? blocks * kPartitionOverhead : 0;
      AddMeta(&Reads::filter, file,
              filters[i].bytes > 0 ? filters[i].bytes + more : 0, blocks, 1);
      AddMeta(&Reads::index, file, file.index_bytes, blocks, rate);
      Add(&Reads::data, file.data_blocks, file.data_block_bytes, rate, pieces_);
    }
  }

  // The `blocks` of a filter or an index, for which a share `rate` of the
  // lookups asks whose row isn't in the file.
  void AddMeta(double Reads::*kind, const TreeFile& file, double bytes,
               double blocks, double rate) {
    if (bytes <= 0) return;
    if (use_.partitioned) {
      // The index over the partitions is pinned, by default.
      pinned_ += kBlockOverhead +
                 blocks * file.index_bytes / std::max(1.0, file.data_blocks);
    }
    expected_.largest_block = std::max(expected_.largest_block, bytes / blocks);
    if (use_.pin_level0 && file.level == 0) {
      pinned_ += bytes + blocks * kBlockOverhead;
    } else if (use_.partitioned) {
      Add(kind, blocks, bytes / blocks, rate, pieces_);
    } else {
      double lookups = 0;
      for (const Piece& piece : pieces_) lookups += piece.lookups();
      Add(kind, blocks, bytes, rate, {{1, lookups}});
    }
  }

  // `blocks` of `bytes` each, spread over `pieces`.
  void Add(double Reads::*kind, double blocks, double bytes, double rate,
           const std::vector<Piece>& pieces) {
    if (blocks <= 0) return;
    for (const Piece& piece : pieces) {
      items_.push_back(
          {kind, blocks * piece.of_file, bytes + kBlockOverhead,
           piece.lookups() * probes_.missing * rate,
           piece.lookups() * (probes_.older * rate + probes_.own)});
    }
  }

  // The shares of lookups that probe the current file, if they were evenly
  // spread: of missing rows, and of present ones whose row is in an older run
  // or in the file itself.
  struct Probes {
    double missing;
    double older;
    double own;
  };

  const CacheUse& use_;
  const ExpectedLookups& lookups_;
  std::vector<Item> items_;
  double pinned_ = 0;
  ExpectedReads expected_;
  // Of the current file.
  std::vector<Piece> pieces_;
  Probes probes_ = {};
};

}  // namespace

CacheUse CacheUse::Of(const rocksdb::BlockBasedTableOptions& table) {
  CacheUse use;
  use.holds_filters = table.cache_index_and_filter_blocks;
  use.partitioned =
      table.partition_filters &&
      table.index_type == rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  use.pin_level0 = table.pin_l0_filter_and_index_blocks_in_cache;
  use.metadata_block_bytes = table.metadata_block_size;
  return use;
}

ExpectedReads ExpectReads(const std::vector<Tree>& trees,
                          const std::vector<std::vector<FilterSize>>& filters,
                          const CacheUse& use, const ExpectedLookups& lookups) {
  return Items(trees, filters, use, lookups).Solve();
}

}  // namespace linebloom::tools
