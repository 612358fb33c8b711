#include "tools/database/caches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/bits/tree_model.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/tree/live_files.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table_properties.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/database/databases.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

// What RocksDB tells a listener of the file. It may claim anything.
std::optional<FileTotals> TotalsOf(const SstFile& file) {
  const Properties& from = file.properties();
  rocksdb::TableProperties to;
  to.num_entries = from.num_entries;
  to.num_filter_entries = from.num_filter_entries.value_or(0);
  to.filter_size = HasUsedFilter(file) ? file.filter().TotalSize() : 0;
  to.filter_policy_name = from.filter_policy_name;
  to.index_size = from.index_size;
  to.num_data_blocks = from.num_data_blocks;
  to.data_size = from.data_size;
  to.raw_key_size = from.raw_key_size;
  to.raw_value_size = from.raw_value_size;
  to.compression_name = from.compression_name;
  return linebloom::TotalsOf(&to, file.size());
}

// The shards of an LRUCache of `capacity` bytes, if nobody says how many.
double DefaultShards(double capacity) {
  const auto shards =
      static_cast<uint64_t>(std::clamp(capacity / (512 << 10), 1.0, 64.0));
  return static_cast<double>(std::bit_floor(shards));
}

class Reader {
 public:
  Reader(const DatabaseFacts& database, const SaidLoad& said)
      : database_(database), said_(said) {}

  absl::StatusOr<DatabaseCaches> Read() {
    // As the listener of an application keeps it.
    LiveFiles ledger;
    read_.findings = WalkFiles(
        database_, "reading properties",
        [&ledger](const LiveFile& live, const SstFile& file, Findings*) {
          ledger.Create(live.path, TotalsOf(file));
          return absl::OkStatus();
        });
    RETURN_IF_ERROR(CheckInterrupt());
    std::vector<rocksdb::LiveFileMetaData> listed(database_.files.size());
    for (size_t i = 0; i < listed.size(); ++i) {
      const LiveFile& live = database_.files[i];
      listed[i].name = live.path;
      listed[i].column_family_name = live.column_family;
      listed[i].level = live.level;
      listed[i].size = live.bytes;
    }
    ledger.List(listed, ledger.version());
    read_.hits = database_.log.hits;
    if (said_.hit_ratio) read_.hits = {*said_.hit_ratio, *said_.hit_ratio};
    read_.hits_from = said_.hit_ratio ? "--hit_ratio"
                      : read_.hits.least == 0 && read_.hits.most == 1
                          ? "not known"
                          : "by the info log";
    for (const LiveFile& live : database_.files) {
      if (read_.families.contains(live.column_family)) continue;
      AddFamily(live.column_family, ledger.families()[live.column_family].live);
    }
    return std::move(read_);
  }

 private:
  // The cache that the family shares with others: the info log has an address.
  CacheFacts& FactsOf(const std::string& name) {
    const LoggedFamily logged = database_.log.FamilyOf(name);
    const std::string address =
        !said_.memory && logged.cache_bytes ? logged.cache : "";
    const auto [found, is_new] =
        caches_.try_emplace(address, read_.caches.size());
    if (is_new) read_.caches.emplace_back().load.hits = read_.hits;
    return read_.caches[found->second];
  }

  void AddFamily(const std::string& name, const TreeState& tree) {
    CacheFacts& facts = FactsOf(name);
    facts.families.push_back(name);
    facts.load.totals.Add(tree.filters);
    facts.load.trees.push_back(ModelOf(tree));
    read_.families[name] = tree.filters;
    facts.files.Add(read_.findings.families[name]);
    if (tree.filters.all_rows() >= facts.most_rows) {
      facts.most_rows = tree.filters.all_rows();
      facts.largest = name;
      SetCache(database_, said_, &facts);
    }
  }

  const DatabaseFacts& database_;
  const SaidLoad& said_;
  DatabaseCaches read_;
  std::map<std::string, size_t> caches_;  // by address; "": not known
};

}  // namespace

rocksdb::BlockBasedTableOptions TableOf(
    const rocksdb::ColumnFamilyOptions* options) {
  const auto* const stored =
      options == nullptr ? nullptr : TableOptionsOf(*options);
  if (stored != nullptr) return *stored;
  rocksdb::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  return table;
}

void SetCache(const DatabaseFacts& database, const SaidLoad& said,
              CacheFacts* facts) {
  read_model::Cache& cache = facts->load.cache;
  const auto* const options = database.OptionsOf(facts->largest);
  cache = CacheUseOf(TableOf(options));
  if (options != nullptr &&
      NewFile{.style = options->compaction_style}.may_grow()) {
    facts->load.most_bits = kDefaultBitsPerKey;
  }
  const LoggedFamily logged = database.log.FamilyOf(facts->largest);
  const std::optional<uint64_t> bytes =
      said.memory ? said.memory : logged.cache_bytes;
  if (!bytes) return;
  facts->from = said.memory ? "--memory" : "by the info log";
  cache.capacity = static_cast<double>(*bytes);
  cache.shards = DefaultShards(cache.capacity);
  if (bytes == logged.cache_bytes) {
    cache.shards = logged.cache_shards.value_or(cache.shards);
    cache.high_priority_share =
        logged.high_priority_share.value_or(cache.high_priority_share);
  }
}

absl::StatusOr<DatabaseCaches> ReadCaches(const DatabaseFacts& database,
                                          const SaidLoad& said) {
  return Reader(database, said).Read();
}

Policies PoliciesToBuild(const DatabaseFacts& database) {
  Policies policies;
  for (const LiveFile& file : database.files) {
    // RocksDB's own family of statistics never has filters.
    if (file.column_family == rocksdb::kPersistentStatsColumnFamilyName) {
      continue;
    }
    const auto* const options = database.OptionsOf(file.column_family);
    FilterPolicyPtr& policy = policies[file.column_family];
    if (policy != nullptr) continue;
    policy = PolicyToBuild(options == nullptr ? rocksdb::ColumnFamilyOptions()
                                              : *options);
  }
  return policies;
}

read_model::Tree TreeWith(const rocksdb::FilterPolicy* policy,
                          read_model::Tree tree) {
  tree.renews = false;
  if (policy == nullptr) return tree;
  const FilterPolicyOptions* const own = OptionsOfLinebloom(policy);
  if (own != nullptr) {
    tree.line = own->line;
    tree.renews = IsAuto(*own);
    return tree.renews ? tree
                       : WithFilters(std::move(tree),
                                     {.average_bits = BitsPerKeyOf(*own),
                                      .by_level = own->level_aware});
  }
  const std::string id = policy->GetId();
  double bits = BitsInId(id).value_or(10);
  // Of a Bloom filter with the same rate.
  if (absl::StrContains(id, "ibbon")) bits /= kBloomBitsOfRibbonBit;
  const read_model::Filters one = {bits / 8, RateOf(id, bits)};
  for (read_model::Run& run : tree.runs) {
    run.kept = {run.filter_keys * one.bytes, one.rate};
  }
  return tree;
}

Answer AnswerFor(const CacheFacts& facts, const Policies& policies) {
  CacheLoad load = facts.load;
  for (read_model::Tree& tree : load.trees) tree.renews = true;
  Answer answer = {BitsFor(load), ReadsOf(load.trees, load), {}};
  for (size_t i = 0; i < load.trees.size(); ++i) {
    const auto policy = policies.find(facts.families[i]);
    load.trees[i] =
        TreeWith(policy == policies.end() ? nullptr : policy->second.get(),
                 std::move(load.trees[i]));
  }
  answer.renewed = BitsFor(load).reads;
  return answer;
}

Json ReadsAsJson(const ReadRange& range) {
  // Fewer than one in a million lookups count as none.
  const auto rounded = [](double reads) {
    return std::round(1e6 * reads) / 1e3;
  };
  const auto [least, most] = std::minmax(range.least_hits, range.most_hits);
  if (rounded(least) == rounded(most)) return rounded(least);
  return {{"least", rounded(least)}, {"most", rounded(most)}};
}

std::string ReadsCell(absl::string_view at) {
  const std::string reads = absl::StrCat("{/reads_per_1000", at);
  return absl::StrCat(reads, "/least:3} to ", reads, "/most:3}|", reads, ":3}");
}

Json AsJson(const CacheFacts& facts, const Answer& answer) {
  const read_model::Cache& cache = facts.load.cache;
  Json json = {{"column_families", facts.families},
               {"memory", nullptr},
               {"memory_from", facts.from},
               {"holds_filters", cache.holds_metadata},
               {"reads_per_1000", nullptr}};
  if (cache.capacity <= 0) return json;
  json["memory"] = static_cast<uint64_t>(cache.capacity);
  json["reads_per_1000"] = {{"now", ReadsAsJson(answer.now)},
                            {"new", ReadsAsJson(answer.renewed)},
                            {"best", ReadsAsJson(answer.best.reads)}};
  return json;
}

}  // namespace linebloom::tools
