#include "filter_policy/bits/cache_load.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "filter_policy/bits/rocksdb_cache.h"
#include "filter_policy/bits/tree_model.h"

namespace linebloom {
namespace {

using read_model::kBlockOverhead;
using read_model::Pinned;

// So much of a cache is full: where a block finds no room, the rest is empty.
constexpr double kFull = 0.8;
constexpr double kTaken = 0.84;  // of a HyperClockCache's slots: it evicts

// Which running compactions read, and pin, or have just replaced.
constexpr double kBusyFiles = 12;

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

// A HyperClockCache has a slot for each block. If blocks are smaller than its
// estimated_entry_charge, as partitions often are, it runs out of slots before
// bytes. A template, because RocksDB before 7.8 doesn't tell.
template <typename Cache>
double SlotsOf(const Cache& cache) {
  if constexpr (requires { cache.GetTableAddressCount(); }) {
    const std::string_view name = cache.Name();  // the first until 8.5
    if (name == "HyperClockCache" || name == "FixedHyperClockCache") {
      return kTaken * static_cast<double>(cache.GetTableAddressCount());
    }
  }
  return HUGE_VAL;
}

bool IsPartitioned(const rocksdb::BlockBasedTableOptions& table) {
  return table.partition_filters &&
         table.index_type ==
             rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
}

// Which metadata of a table stays in the cache.
Pinned PinnedBy(const rocksdb::BlockBasedTableOptions& table) {
  const rocksdb::MetadataCacheOptions& options = table.metadata_cache_options;
  const rocksdb::PinningTier tier = IsPartitioned(table)
                                        ? options.partition_pinning
                                        : options.unpartitioned_pinning;
  if (tier == rocksdb::PinningTier::kAll) return Pinned::kAll;
  return tier == rocksdb::PinningTier::kFlushedAndSimilar ||
                 (tier == rocksdb::PinningTier::kFallback &&
                  table.pin_l0_filter_and_index_blocks_in_cache)
             ? Pinned::kLevel0
             : Pinned::kNothing;
}

// The lookups of each source, of any unit. One whose rate isn't known is looked
// up as often as the others, by rows.
std::vector<double> LookupsOf(const CacheUsers& users,
                              const std::vector<double>& rows) {
  double known = 0;
  double known_rows = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (users.sources[i].rate < 0) continue;
    known += users.sources[i].rate;
    known_rows += rows[i];
  }
  const double per_row = known > 0 && known_rows > 0 ? known / known_rows : 1;
  std::vector<double> lookups;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double rate = users.sources[i].rate;
    lookups.push_back(known > 0 && rate >= 0 ? rate : per_row * rows[i]);
  }
  return lookups;
}

// The lookups of all sources.
void SetLookups(const CacheUsers& users, const std::vector<double>& lookups,
                CacheLoad* load) {
  const double all = SumOf(lookups);
  if (all <= 0) return;
  load->hits = {0, 0};
  for (size_t i = 0; i < lookups.size(); ++i) {
    const CacheUsers::Source& source = users.sources[i];
    const double share = lookups[i] / all;
    load->hits.least += share * source.hits.least;
    load->hits.most += share * source.hits.most;
    load->scanned_blocks_per_lookup += share * source.scanned_blocks_per_lookup;
    load->rewritten += share * source.rewritten;
    load->filters_read += share * source.filters_read;
    load->sampled = load->sampled || source.is_sample;
  }
}

}  // namespace

read_model::Cache CacheUseOf(const rocksdb::BlockBasedTableOptions& table) {
  read_model::Cache cache;
  cache.holds_metadata = table.cache_index_and_filter_blocks;
  cache.high_priority_metadata =
      table.cache_index_and_filter_blocks_with_high_priority;
  cache.partitioned = IsPartitioned(table);
  // RocksDB leaves so much of a partition free.
  cache.metadata_block_bytes =
      static_cast<double>(table.metadata_block_size) *
      (1 - std::clamp(table.block_size_deviation, 0, 99) / 100.0);
  cache.pinned = PinnedBy(table);
  return cache;
}

read_model::Cache CacheOf(const rocksdb::BlockBasedTableOptions& table) {
  const rocksdb::Cache& block_cache = *table.block_cache;
  const std::string options = block_cache.GetPrintableOptions();
  read_model::Cache cache = CacheUseOf(table);
  cache.capacity = static_cast<double>(block_cache.GetCapacity());
  cache.shards =
      std::exp2(std::clamp(OptionOf(options, "num_shard_bits", 0), 0.0, 20.0));
  cache.slots = SlotsOf(block_cache);
  cache.high_priority_share = std::clamp(
      OptionOf(options, "high_pri_pool_ratio", cache.high_priority_share), 0.0,
      1.0);
  return cache;
}

double CacheLoad::others() const {
  const auto metadata = [](const FileTotals& files) {
    return files.bits / 8 + files.index_bytes;
  };
  const double busy = std::min(1.0, kBusyFiles / std::max(1.0, totals.files));
  double own = totals.index_bytes * busy;
  if (cache.pinned == Pinned::kLevel0) own += metadata(level0);
  if (cache.pinned == Pinned::kAll) own = metadata(totals) * (1 + busy);
  // The indexes over partitions, most of which are short, are in the model.
  // Taken for others' they left too few bits: 1.6 times the reads of the best.
  const double entry = totals.index_bytes / std::max(1.0, totals.data_blocks);
  if (cache.partitioned) own += 2 * totals.files * (kBlockOverhead + 2 * entry);
  // A HyperClockCache's own memory, 64 bytes for a slot, looks pinned.
  const double slots = cache.slots < HUGE_VAL ? 64 / kTaken * cache.slots : 0;
  return std::clamp(std::max(pinned_bytes - own, slots), 0.0, cache.capacity);
}

CacheLoad LoadOf(const CacheUsers& users,
                 const rocksdb::BlockBasedTableOptions& table) {
  CacheLoad load;
  load.cache = CacheOf(table);
  load.pinned_bytes = static_cast<double>(table.block_cache->GetPinnedUsage());
  std::vector<double> rows(users.sources.size());
  for (const CacheUsers::Family& family : users.families) {
    load.totals.Add(family.tree->filters);
    for (const FileTotals& file : family.tree->level0) load.level0.Add(file);
    rows[family.source] += family.tree->filters.all_rows();
  }
  const std::vector<double> lookups = LookupsOf(users, rows);
  SetLookups(users, lookups, &load);
  for (const CacheUsers::Family& family : users.families) {
    load.trees.push_back(
        {.lookups = lookups[family.source] * family.tree->filters.all_rows() /
                    std::max(1.0, rows[family.source])});
  }
  // First reads tell nothing: counting those of partitions tripled all reads.
  if (load.cache.partitioned ||
      static_cast<double>(table.block_cache->GetUsage()) <
          kFull * load.cache.capacity) {
    load.filters_read = 0;
  }
  if (users.hits) {
    load.hits = *users.hits;
    load.sampled = false;
  }
  return load;
}

void AddRuns(const CacheUsers& users, CacheLoad* load) {
  constexpr size_t kFew = 16;
  constexpr double kAlike = 4;  // lookups per row
  struct Alike {
    TreeModel model;
    double lookups = 0;
  };
  std::map<std::tuple<int64_t, bool, LineKind>, Alike> trees;
  for (size_t i = 0; i < users.families.size(); ++i) {
    const CacheUsers::Family& family = users.families[i];
    const double lookups = load->trees[i].lookups;
    const double per_row =
        lookups / std::max(1.0, family.tree->filters.all_rows());
    const int64_t group =
        users.families.size() <= kFew
            ? static_cast<int64_t>(i)
            : std::lround(std::log(std::max(1e-9, per_row)) / std::log(kAlike));
    Alike& alike = trees[{group, TreeModel::Renews(*family.tree), family.line}];
    alike.model.Add(*family.tree);
    alike.lookups += lookups;
  }
  load->trees.clear();
  for (const auto& [key, alike] : trees) {
    read_model::Tree& tree = load->trees.emplace_back(alike.model.Model());
    tree.lookups = alike.lookups;
    tree.line = std::get<LineKind>(key);
  }
}

}  // namespace linebloom
