#include "filter_policy/levels/auto_bits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "filter_policy/levels/rocksdb_cache.h"

namespace linebloom {
namespace {

using read_model::Choice;

// Down by any step of the model: for a tree that grows ever fewer bits are
// best. With half a bit for both it read 1.02 times as much (median of 16
// cells).
constexpr double kDeadBandUp = 0.5;
constexpr double kDeadBandDown = 0.25;
constexpr double kStepUp = 0.5;
constexpr double kStepAfterTurn = 0.25;

// Fewer lookups say little about the share that hits.
constexpr double kFewestLookups = 1000;

// No filter in the last run is for loads that nearly always hit, where it must
// save a tenth of the reads: its files keep it for as long as they live.
constexpr double kFewestHitsWithoutLast = 0.5;
constexpr double kMostReadsWithoutLast = 0.9;

// What the cache charges beside a data block's bytes.
constexpr double kMostBesideABlock = 300;

// Whose indexes running compactions pin.
constexpr double kFilesOfCompactions = 12;

// The number behind `name` in a cache's printable options, "    name : 4\n".
double OptionOf(std::string_view text, std::string_view name, double without) {
  const size_t begin = text.find(name);
  if (begin == std::string_view::npos) return without;
  text.remove_prefix(
      std::min(text.size(), text.find_first_not_of(" :", begin + name.size())));
  double value = without;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A HyperClockCache has a slot for each block, and evicts when 0.84 of them are
// taken. If blocks are smaller than its estimated_entry_charge, as partitions
// often are, that is before its bytes are. A template, because RocksDB before
// 7.8 doesn't tell.
template <typename Cache>
double SlotsOf(const Cache& cache) {
  if constexpr (requires { cache.GetTableAddressCount(); }) {
    const std::string_view name = cache.Name();  // the first until 8.5
    if (name == "HyperClockCache" || name == "FixedHyperClockCache") {
      return 0.84 * static_cast<double>(cache.GetTableAddressCount());
    }
  }
  return HUGE_VAL;
}

// The share of hits for which the tree would be given the bits that it has:
// after a restart the one that the last files were written for.
double HitsOfOldBits(const CacheLoad& load) {
  const double old_bits = load.totals.bits / load.totals.keys;
  double nearest = kAssumedHits;
  double distance = HUGE_VAL;
  for (const double hits : {kAssumedHits, 0.0, 0.003, 0.01, 0.1, 0.3, 0.6}) {
    const Choice best =
        read_model::BestChoice(load.trees, load.cache, {.hit_share = hits});
    const double off = std::abs(best.average_bits - old_bits);
    if (off < distance - 0.01) {
      distance = off;
      nearest = hits;
    }
  }
  return nearest;
}

}  // namespace

AutoBits ChooseBits(const NewFile& file,
                    const rocksdb::BlockBasedTableOptions& table) {
  if (file.choose == nullptr || table.block_cache == nullptr) return {};
  return file.choose(file, table);
}

read_model::Cache CacheOf(const rocksdb::BlockBasedTableOptions& table) {
  const rocksdb::Cache& block_cache = *table.block_cache;
  const std::string options = block_cache.GetPrintableOptions();
  read_model::Cache cache;
  cache.capacity = static_cast<double>(block_cache.GetCapacity());
  cache.shards =
      std::exp2(std::clamp(OptionOf(options, "num_shard_bits", 0), 0.0, 20.0));
  cache.slots = SlotsOf(block_cache);
  cache.high_priority_share = std::clamp(
      OptionOf(options, "high_pri_pool_ratio", cache.high_priority_share), 0.0,
      1.0);
  cache.high_priority_metadata =
      table.cache_index_and_filter_blocks_with_high_priority;
  cache.partitioned = table.partition_filters;
  cache.metadata_block_bytes = static_cast<double>(table.metadata_block_size);
  cache.pin_level0 = table.pin_l0_filter_and_index_blocks_in_cache;
  return cache;
}

double CacheLoad::others() const {
  const auto metadata = [](const FileTotals& files) {
    return files.bits / 8 + files.index_bytes;
  };
  const double own = metadata(totals) + totals.data_bytes +
                     kMostBesideABlock * totals.data_blocks;
  const double own_pinned =
      (cache.pin_level0 ? metadata(level0) : 0) +
      totals.index_bytes *
          std::min(1.0, kFilesOfCompactions / std::max(1.0, totals.files));
  return std::clamp(std::max(pinned_bytes - own_pinned, used_bytes - own), 0.0,
                    cache.capacity);
}

AutoBits SteadyChoice::Next(CacheLoad load) {
  // Iterators pin blocks for a moment.
  const double others = load.others();
  load.cache.capacity -= std::min(others, others_);
  others_ = others;
  if (load.sampled || load.lookups.all < kFewestLookups) {
    for (read_model::Tree& tree : load.trees) tree.lookups = 0;  // by rows
  }
  read_model::Load hits = LoadOf(load);
  const bool may_leave_out_last =
      hits.counted && !sampled_ && hits.hit_share >= kFewestHitsWithoutLast;
  hits.counted = false;
  Choice best = read_model::BestChoice(load.trees, load.cache, hits);
  const auto reads_of = [&](const Choice& choice) {
    return read_model::ReadsPerLookup(load.trees, load.cache, hits, choice)
        .all();
  };
  if (may_leave_out_last) {
    hits.counted = true;
    const Choice any = read_model::BestChoice(load.trees, load.cache, hits);
    if (!any.filters_last_run &&
        reads_of(any) <
            (filters_last_run_ ? kMostReadsWithoutLast : 1) * reads_of(best)) {
      best = any;
    }
  }
  Follow(best);
  AutoBits bits;
  bits.average_bits = bits_;
  bits.filters_last_run = filters_last_run_;
  bits.is_chosen = true;
  bits.cache_bytes = load.cache.capacity;
  bits.hit_share = hit_share_;
  bits.counted = counted_;
  bits.sampled = sampled_;
  const read_model::Reads reads = read_model::ReadsPerLookup(
      load.trees, load.cache, hits, {bits_, filters_last_run_});
  bits.index_bytes = reads.index_bytes;
  bits.reads = reads.all();
  bits.reads_with_10 = reads_of({kDefaultBitsPerKey});
  return bits;
}

void SteadyChoice::Follow(const Choice& best) {
  if (bits_ <= 0 || best.filters_last_run != filters_last_run_) {
    bits_ = best.average_bits;
    filters_last_run_ = best.filters_last_run;
  } else if (best.average_bits <= bits_ - kDeadBandDown) {
    bits_ = best.average_bits;
    went_down_ = true;
  } else if (best.average_bits >= bits_ + kDeadBandUp) {
    bits_ += went_down_ ? kStepAfterTurn : kStepUp;
    went_down_ = false;
  }
}

read_model::Load SteadyChoice::LoadOf(const CacheLoad& load) {
  const Lookups& lookups = load.lookups;
  double scanned = 0;
  if (lookups.all >= kFewestLookups) {
    // None among few isn't none among many.
    hit_share_ = std::min(1.0, (lookups.hits + 0.5) / lookups.all);
    counted_ = true;
    sampled_ = load.sampled;
    scanned = lookups.other_data_blocks() / lookups.all;
  } else if (hit_share_ < 0) {
    hit_share_ = load.totals.keys > 0 ? HitsOfOldBits(load) : kAssumedHits;
  }
  return {.hit_share = hit_share_,
          .counted = counted_,
          .scanned_blocks_per_lookup = scanned};
}

}  // namespace linebloom
