#include "tools/advise/tree_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/bits/cache_load.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"
#include "rocksdb/table.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/database/databases.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

using read_model::Files;
using read_model::Filters;

// A file may say anything. No row takes less than a bit of it.
double Limited(uint64_t number, const SstFile& file) {
  return static_cast<double>(std::min(number, 8 * file.size()));
}

// Filters of a policy with so many bits per key. Ribbon's let pass what Bloom's
// do that have 1.44 times its bits (ribbonfilter:10 has 6.9, and a rate of
// 0.95 %); unknown policies count as Bloom's.
double RateOf(absl::string_view policy, double bits) {
  if (bits <= 0) return 1;
  const bool is_ribbon = absl::StrContains(policy, "ibbon");
  const LineKind line = absl::StrContains(policy, "linebloom")
                            ? LineKind::kSolved
                            : LineKind::kPlain;
  const double of_line = std::clamp((is_ribbon ? 1.44 : 1) * bits, 1.0, 100.0);
  return ExpectedRate(line, static_cast<uint32_t>(kMillibitsPerBit * of_line),
                      kBitsPerLine / of_line);
}

// By the stored options; without them as RocksDB's tuning guide has it, with
// level 0 pinned.
rocksdb::BlockBasedTableOptions TableOf(const std::string& family,
                                        const DatabaseFacts& database) {
  const auto stored = database.families.find(family);
  if (stored != database.families.end() && stored->second.table != nullptr) {
    return *stored->second.table;
  }
  rocksdb::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  return table;
}

// The cache of a family that uses it by `table`.
read_model::Cache CacheOf(const std::string& family,
                          const rocksdb::BlockBasedTableOptions& table,
                          const DatabaseFacts& database) {
  read_model::Cache cache = CacheUseOf(table);
  const LoggedFamily logged = database.log.FamilyOf(family);
  if (logged.cache_bytes) {
    cache.capacity = static_cast<double>(*logged.cache_bytes);
    cache.shards = logged.cache_shards.value_or(DefaultShards(cache.capacity));
    cache.high_priority_share = logged.high_priority_share;
  }
  return cache;
}

class Reader {
 public:
  Reader(const DatabaseFacts& database, std::optional<uint64_t> memory)
      : database_(database), memory_(memory) {}

  absl::StatusOr<AdviseFacts> Read() {
    const std::vector<LiveFile>& files = database_.files;
    for (auto begin = files.begin(); begin != files.end();) {
      const auto end = std::find_if(begin, files.end(), [&](const auto& file) {
        return file.column_family != begin->column_family;
      });
      RETURN_IF_ERROR(AddFamily({begin, end}));
      begin = end;
    }
    RETURN_IF_ERROR(CheckMissing());
    facts_.findings = census_.Judge(database_);
    facts_.hit_ratio = database_.log.hit_ratio;
    facts_.chosen_bits = database_.log.chosen_bits;
    return std::move(facts_);
  }

 private:
  // The cache that the family shares with others: the info log has an address.
  CacheFacts& CacheOfFamily(const std::string& name) {
    const LoggedFamily logged = database_.log.FamilyOf(name);
    const std::string address =
        !memory_ && logged.cache_bytes ? logged.cache : "";
    const auto [found, is_new] =
        caches_.try_emplace(address, facts_.caches.size());
    if (is_new) facts_.caches.emplace_back();
    return facts_.caches[found->second];
  }

  absl::Status AddFamily(const std::vector<LiveFile>& live) {
    CacheFacts& facts = CacheOfFamily(live[0].column_family);
    const std::string& name = live[0].column_family;
    const rocksdb::BlockBasedTableOptions table = TableOf(name, database_);
    facts.families.push_back(name);
    double rows = 0;
    read_model::Tree tree;
    for (size_t i = 0; i < live.size(); ++i) {
      RETURN_IF_ERROR(CheckInterrupt());
      ASSIGN_OR_RETURN(const Files file, AddFile(live[i], table, &facts));
      rows += file.rows;
      const bool is_run =
          i == 0 || live[i].level == 0 || live[i].level != live[i - 1].level;
      if (is_run) tree.runs.push_back({.level0 = live[i].level == 0});
      tree.runs.back().Add(file);
    }
    if (rows >= facts.most_rows) {
      facts.most_rows = rows;
      facts.cache = CacheOf(name, table, database_);
    }
    facts.rows += rows;
    facts.trees.push_back(std::move(tree));
    return absl::OkStatus();
  }

  absl::StatusOr<Files> AddFile(const LiveFile& live,
                                const rocksdb::BlockBasedTableOptions& table,
                                CacheFacts* facts) {
    const absl::StatusOr<SstFile> opened = SstFile::Open(live.path);
    if (absl::IsNotFound(opened.status())) {
      missing_.push_back(live.path);
      return Files{};
    }
    RETURN_IF_ERROR(opened.status());
    census_.Add(live, *opened);
    Files file = FactsOf(*opened, static_cast<double>(table.block_size));
    ++facts_.files;
    ++facts->files;
    facts->filtered += file.kept->bytes > 0 ? 1 : 0;
    facts->keys += file.kept->bytes > 0 ? file.filter_keys : 0;
    const std::string& policy = opened->properties().filter_policy_name;
    if (file.kept->bytes > 0 && !absl::StrContains(facts->policies, policy)) {
      absl::StrAppend(&facts->policies, facts->policies.empty() ? "" : ", ",
                      policy);
    }
    return file;
  }

  // Of a file, and of the filter that it keeps.
  Files FactsOf(const SstFile& file, double block_size) {
    const Properties& properties = file.properties();
    Files facts = {.rows = Limited(properties.num_entries, file)};
    facts.filter_keys =
        Limited(properties.num_filter_entries.value_or(0), file);
    if (facts.filter_keys == 0) facts.filter_keys = facts.rows;
    facts.index_bytes = Limited(properties.index_size, file);
    facts.data_blocks = Limited(properties.num_data_blocks, file);
    // Stored blocks may be compressed, those in the cache are not.
    facts.data_bytes = std::max(Limited(properties.data_size, file),
                                block_size * facts.data_blocks);
    const bool used = file.filter().kind == FilterKind::kFull ||
                      file.filter().kind == FilterKind::kPartitioned;
    const double bytes = used ? file.filter().TotalSize() : 0;
    const double bits = 8 * bytes / std::max(1.0, facts.filter_keys);
    // A rate takes some time: to a tenth of a bit, once.
    const double rounded = std::round(10 * bits) / 10;
    double& rate = rates_[{properties.filter_policy_name, rounded}];
    if (rate == 0) rate = RateOf(properties.filter_policy_name, rounded);
    facts.kept = Filters{bytes, rate};
    return facts;
  }

  // Files that are still live, and yet aren't there, are an error.
  absl::Status CheckMissing() const {
    if (missing_.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::vector<LiveFile> now,
                     ListLiveFiles("DATABASE", database_.folder, ""));
    for (const LiveFile& file : now) {
      if (std::ranges::find(missing_, file.path) == missing_.end()) continue;
      RETURN_IF_ERROR(SstFile::Open(file.path).status());
    }
    return absl::OkStatus();
  }

  const DatabaseFacts& database_;
  const std::optional<uint64_t> memory_;
  FilterCensus census_;
  AdviseFacts facts_;
  std::map<std::string, size_t> caches_;  // by address; "": not known
  std::vector<std::string> missing_;      // paths
  // By policy and bits per key.
  std::map<std::pair<std::string, double>, double> rates_;
};

}  // namespace

absl::StatusOr<AdviseFacts> ReadAdviseFacts(const std::string& folder,
                                            const std::string& column_family,
                                            std::optional<uint64_t> memory) {
  ASSIGN_OR_RETURN(const DatabaseFacts database,
                   ReadDatabase("DATABASE", folder, column_family));
  if (database.files.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("DATABASE='", folder,
                     "' has no SSTables: write or flush some rows first"));
  }
  ASSIGN_OR_RETURN(AdviseFacts facts, Reader(database, memory).Read());
  if (!memory) return facts;
  for (CacheFacts& cache : facts.caches) {
    cache.is_beside = !cache.cache.holds_metadata;
    cache.cache.holds_metadata = true;
    if (cache.cache.capacity == static_cast<double>(*memory)) continue;
    cache.cache.capacity = static_cast<double>(*memory);
    cache.cache.shards = DefaultShards(cache.cache.capacity);
  }
  return facts;
}

double DefaultShards(double capacity) {
  constexpr double kMinShardBytes = 512 << 10;
  const auto shards =
      static_cast<uint64_t>(std::clamp(capacity / kMinShardBytes, 1.0, 64.0));
  return static_cast<double>(std::bit_floor(shards));
}

}  // namespace linebloom::tools
