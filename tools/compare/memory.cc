#include "tools/compare/memory.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/rocksdb_cache.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/compare/keys.h"
#include "tools/compare/machine.h"
#include "tools/compare/workload.h"
#include "tools/shared/flags.h"
#include "tools/shared/intervals.h"
#include "tools/shared/policies.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// A policy, and what was measured with each size of the cache.
struct Curve {
  std::string wanted;  // in --policies: what its asterisk stands for is tried
  NamedPolicy policy;
  uint64_t filter_bytes = 0;
  uint64_t index_bytes = 0;
  uint64_t largest_block = 0;  // of filters and indexes, if whole
  std::vector<Measurement> points = {};
};

absl::Status ReadSizes(rocksdb::DB* db, Curve* curve) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  for (const rocksdb::LiveFileMetaData& file : live) {
    ASSIGN_OR_RETURN(const SstFile sst,
                     SstFile::Open(absl::StrCat(file.db_path, file.name)));
    const uint64_t filter = sst.filter().TotalSize();
    const uint64_t index = sst.properties().index_size;
    curve->filter_bytes += filter;
    curve->index_bytes += index;
    curve->largest_block = std::max({curve->largest_block, filter, index});
  }
  return absl::OkStatus();
}

class MemoryComparison {
 public:
  MemoryComparison(const CompareConfig& config, Workload workload,
                   std::vector<uint64_t> sizes, std::filesystem::path folder)
      : config_(config),
        workload_(std::move(workload)),
        sizes_(std::move(sizes)),
        folder_(std::move(folder)),
        direct_(config.direct_io && DirectIoAlignment(folder_).has_value()) {}

  absl::Status Run(Curve* curve, const std::string& name) {
    name_ = name;
    const FilterPolicyOptions* own =
        OptionsOfLinebloom(curve->policy.policy.get());
    // The bits may depend on the cache, so each size has filters of its own.
    const bool by_cache = own != nullptr && IsAuto(*own);
    for (const uint64_t size : sizes_) {
      const CacheOptions cache = {size, std::countr_zero(config_.cache_shards),
                                  /*holds_filters=*/true, config_.partitioned};
      if (by_cache || curve->points.empty()) {
        RETURN_IF_ERROR(Build(curve->policy.policy, cache));
      }
      RETURN_IF_ERROR(Measure(cache, curve));
    }
    Remove();
    return absl::OkStatus();
  }

  const Workload& workload() const { return workload_; }
  bool direct_io() const { return direct_; }

 private:
  std::string Path() const { return (folder_ / "policy").string(); }

  void Remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(Path(), ignored);
  }

  absl::Status Build(const FilterPolicyPtr& policy, const CacheOptions& cache) {
    Remove();
    progress_.Begin(absl::StrCat(name_, ": database"),
                    workload_.rows.TotalEntries());
    return BuildDatabase(workload_.rows, policy, cache, Path(), &progress_);
  }

  absl::Status Measure(const CacheOptions& cache, Curve* curve) {
    ASSIGN_OR_RETURN(const std::unique_ptr<rocksdb::DB> db,
                     OpenForMeasuring(workload_.rows, curve->policy.policy,
                                      cache, Path(), direct_));
    if (curve->points.empty()) {
      RETURN_IF_ERROR(ReadSizes(db.get(), curve));
      RETURN_IF_ERROR(CheckFits(*curve));
    }
    progress_.Begin(
        absl::StrFormat("%s, %.3g MB: lookups", name_, cache.bytes / 1e6),
        2 * config_.lookups);
    Measurement& point = curve->points.emplace_back();
    const KeyList& traced = workload_.lookups;
    if (!config_.trace.empty()) {
      const uint64_t third = traced.size() / 3;
      Measurement ignored;
      RETURN_IF_ERROR(LookUp(db.get(), PartOf(traced, 0, third), &ignored));
      return LookUp(db.get(), PartOf(traced, third, traced.size()), &point);
    }
    RETURN_IF_ERROR(Settle(db.get(), cache));
    return LookUp(db.get(), RepeatedLookups(workload_.mix, config_.lookups),
                  &point);
  }

  // Until the cache is full, from where on it holds what was asked for last, or
  // nothing that matters is added.
  absl::Status Settle(rocksdb::DB* db, const CacheOptions& cache) {
    constexpr double kFull = 0.97;
    constexpr double kAdded = 0.002;
    constexpr int kMaxBatches = 40;
    LookupMix mix = workload_.mix;
    mix.seed = Mix(mix.seed, 6);
    const auto table = TableOptionsOf(db->GetOptions());
    const double capacity = cache.bytes;
    double used = 0;
    for (int i = 0; i < kMaxBatches; ++i) {
      mix.seed = Mix(mix.seed);
      Measurement ignored;
      RETURN_IF_ERROR(LookUp(
          db, RepeatedLookups(mix, std::max<uint64_t>(1, config_.lookups / 8)),
          &ignored));
      const double before = std::exchange(used, table->block_cache->GetUsage());
      if (before > kFull * capacity || used - before < kAdded * capacity) break;
    }
    return absl::OkStatus();
  }

  absl::Status LookUp(rocksdb::DB* db, const Keys& keys,
                      Measurement* measured) {
    return MeasureRound(db, keys, static_cast<uint32_t>(config_.threads),
                        &progress_, measured);
  }

  absl::Status CheckFits(const Curve& curve) const {
    const uint64_t shard = sizes_.front() / config_.cache_shards;
    if (config_.partitioned || curve.largest_block < shard) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrFormat(
        "--memory=%s: a filter or an index of %s takes %s bytes, and a shard "
        "of "
        "the cache has %s; it takes --memory=%s, fewer --cache_shards, or "
        "--partitioned",
        config_.memory, curve.policy.name, WithThousands(curve.largest_block),
        WithThousands(shard),
        NumberText(2 * curve.largest_block * config_.cache_shards,
                   Unit::kBytes)));
  }

  const CompareConfig& config_;
  const Workload workload_;
  const std::vector<uint64_t> sizes_;
  const std::filesystem::path folder_;
  const bool direct_;
  std::string name_;  // of the current policy, for the progress
  Progress progress_;
};

double PerLookup(uint64_t count, const Measurement& m) {
  return 1.0 * count / m.lookups;
}

Json PointAsJson(const Measurement& m, uint64_t memory) {
  const Interval interval = PoissonInterval(m.all_block_reads());
  const uint64_t probes = m.filter_blocks_found + m.filter_block_reads;
  return {{"memory", memory},
          {"lookups", m.lookups},
          {"found", m.found},
          {"reads_per_lookup", PerLookup(m.all_block_reads(), m)},
          {"reads_per_lookup_low", interval.low / m.lookups},
          {"reads_per_lookup_high", interval.high / m.lookups},
          {"filter_reads_per_lookup", PerLookup(m.filter_block_reads, m)},
          {"index_reads_per_lookup", PerLookup(m.index_block_reads, m)},
          {"data_reads_per_lookup", PerLookup(m.data_block_reads, m)},
          {"block_read_bytes", m.block_bytes},
          {"bytes_per_lookup", PerLookup(m.block_bytes, m)},
          {"filters_found",
           probes == 0 ? Json() : Json(1.0 * m.filter_blocks_found / probes)},
          {"device_read_bytes", OrNull(m.device_bytes)}};
}

Json CurveAsJson(const Curve& curve, const std::vector<uint64_t>& sizes) {
  Json json = {
      {"policy", curve.policy.name},      {"wanted", curve.wanted},
      {"options", curve.policy.options},  {"filter_bytes", curve.filter_bytes},
      {"index_bytes", curve.index_bytes}, {"points", Json::array()}};
  for (size_t i = 0; i < sizes.size(); ++i) {
    json["points"].push_back(PointAsJson(curve.points[i], sizes[i]));
  }
  return json;
}

// For each policy with an asterisk, the policy and the point that read least at
// each size.
Json BestAsJson(const Json& curves, const std::vector<uint64_t>& sizes) {
  Json best = Json::array();
  for (const Json& curve : curves) {
    const Json& wanted = curve["wanted"];
    if (wanted == curve["policy"]) continue;
    const bool is_new = best.empty() || best.back()["policy"] != wanted;
    if (is_new) best.push_back({{"policy", wanted}, {"points", Json::array()}});
    for (size_t i = 0; i < sizes.size(); ++i) {
      Json point = curve["points"][i];
      point["policy"] = curve["policy"];
      Json& points = best.back()["points"];
      if (i >= points.size()) points.push_back(point);
      if (point["reads_per_lookup"] < points[i]["reads_per_lookup"]) {
        points[i] = point;
      }
    }
  }
  return best;
}

// A line for each policy with `cell` of each of its points.
std::string PointsTable(const Json& curves, const Json& memory,
                        const std::string& cell) {
  std::vector<Column> columns = {{"MB of cache", "{/policy}"}};
  for (size_t i = 0; i < memory.size(); ++i) {
    columns.push_back({ThreeDigits(memory[i].get<double>() / 1e6),
                       absl::StrReplaceAll(
                           cell, {{"{/", absl::StrCat("{/points/", i, "/")}})});
  }
  return TextTable(columns, curves);
}

std::string AsText(const Json& json) {
  const Json& memory = json["memory"];
  Json shown = Json::array();  // the best, in place of all that were tried
  for (const Json& curve : json["curves"]) {
    if (curve["wanted"] == curve["policy"]) shown.push_back(curve);
  }
  for (const Json& best : json["best"]) shown.push_back(best);
  for (Json& curve : shown) {
    // The policy with its longest part cut, for narrow terminals.
    std::string name = curve["policy"];
    if (absl::StartsWith(name, "{id=")) name = name.substr(4, name.size() - 5);
    if (name.size() > 27) name = absl::StrCat(name.substr(0, 25), "..");
    curve["policy"] = name;
  }
  std::string text = WrapText(
      absl::StrCat(
          Fill("{/rows:,} rows, {/lookups:,} lookups, {/found_share:%} % of "
               "existing rows",
               json["workload"]),
          json["workload"]["skew_in_words"].get<std::string>().empty()
              ? ""
              : Fill(": {/skew_in_words}", json["workload"]),
          Fill("; {/layout} in a block cache with {/shards} shard", json),
          json["shards"] == 1 ? "" : "s", ", once it has settled"),
      kTextWidth, 2);
  absl::StrAppend(&text, "\n\nBlocks read per 1,000 lookups\n",
                  PointsTable(shown, memory, "{/reads_per_lookup:1000}"));
  const std::pair<const char*, const char*> kinds[] = {
      {"Of them filters", "{/filter_reads_per_lookup:1000}"},
      {"Indexes", "{/index_reads_per_lookup:1000}"},
      {"Data", "{/data_reads_per_lookup:1000}"},
      {"Bytes read per lookup", "{/bytes_per_lookup:3}"},
      {"Filters found in the cache, %", "{/filters_found:%}|"}};
  for (const auto& [title, cell] : kinds) {
    absl::StrAppend(&text, "\n", title, "\n", PointsTable(shown, memory, cell));
  }
  for (const Json& best : json["best"]) {
    std::vector<std::string> parts;
    for (const Json& point : best["points"]) {
      parts.push_back(absl::StrCat(
          point["policy"].get<std::string>(), " at ",
          ThreeDigits(point["memory"].get<double>() / 1e6), " MB"));
    }
    absl::StrAppend(
        &text, "\n",
        BulletText(absl::StrCat("Best of ", best["policy"].get<std::string>(),
                                ": ", absl::StrJoin(parts, ", "), ".")));
  }
  absl::StrAppend(&text, "\n", BulletsText(json["notes"]));
  return text;
}

// Sentences if policies found different rows.
std::vector<std::string> Problems(const Json& curves) {
  std::vector<std::string> problems;
  const Json& first = curves[0]["points"][0]["found"];
  for (const Json& curve : curves) {
    for (const Json& point : curve["points"]) {
      if (point["found"] == first) continue;
      problems.push_back(absl::StrCat(
          curve["policy"].get<std::string>(), " found ", point["found"].dump(),
          " keys and ", curves[0]["policy"].get<std::string>(), " ",
          first.dump(), ": one of them lost rows"));
      break;
    }
  }
  return problems;
}

}  // namespace

uint64_t MemoryOfMachine() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

absl::StatusOr<std::vector<uint64_t>> ParseMemory(absl::string_view list) {
  std::vector<uint64_t> sizes;
  const uint64_t most = MemoryOfMachine();
  for (const absl::string_view part : absl::StrSplit(list, ',')) {
    const auto size = ParseNumber(part, Unit::kBytes, kMinMemory, most);
    if (!size.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--memory='", list, "': '", part, "' ", size.status().message()));
    }
    sizes.push_back(*size);
    if (sizes.size() > 1 && sizes.back() <= sizes[sizes.size() - 2]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--memory='", list, "': sizes must rise, such as 1MB,2MB,4MB"));
    }
  }
  return sizes;
}

std::vector<std::string> PoliciesOf(const std::string& policy) {
  if (!absl::StrContains(policy, '*')) return {policy};
  std::vector<std::string> policies;
  for (int bits = kMinTriedBits; bits <= kMaxTriedBits; ++bits) {
    policies.push_back(
        absl::StrReplaceAll(policy, {{"*", absl::StrCat(bits)}}));
  }
  return policies;
}

absl::StatusOr<Outcome> RunMemoryComparison(const CompareConfig& config) {
  ASSIGN_OR_RETURN(std::vector<uint64_t> sizes, ParseMemory(config.memory));
  if (!std::has_single_bit(config.cache_shards)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--cache_shards=", config.cache_shards,
                     ": a power of two, as RocksDB's caches have"));
  }
  std::vector<Curve> curves;
  ASSIGN_OR_RETURN(const auto names, SplitPolicies(config.policies));
  for (const std::string& name : names) {
    for (const std::string& one : PoliciesOf(name)) {
      ASSIGN_OR_RETURN(NamedPolicy policy, MakePolicy(one, config.bits_per_key,
                                                      config.bits_per_key));
      curves.push_back({name, std::move(policy)});
    }
  }
  ASSIGN_OR_RETURN(const auto scratch,
                   UseScratchFolder(config.db, "linebloom_compare"));
  ASSIGN_OR_RETURN(Workload workload, MakeWorkload(config, scratch->path));
  Json json = {{"memory", sizes},
               {"partitioned", config.partitioned},
               {"layout", config.partitioned ? "partitioned filters and indexes"
                                             : "whole filters and indexes"},
               {"shards", config.cache_shards},
               {"machine", DescribeMachine(scratch->path)},
               {"curves", Json::array()}};
  MemoryComparison comparison(config, std::move(workload), sizes,
                              scratch->path);
  for (size_t i = 0; i < curves.size(); ++i) {
    RETURN_IF_ERROR(comparison.Run(
        &curves[i], absl::StrCat("policy ", i + 1, " of ", curves.size())));
    json["curves"].push_back(CurveAsJson(curves[i], sizes));
  }
  json["best"] = BestAsJson(json["curves"], sizes);
  json["workload"] = comparison.workload().facts;
  json["workload"]["lookups"] = curves.front().points.front().lookups;
  json["workload"]["found_share"] = PerLookup(
      curves.front().points.front().found, curves.front().points.front());
  json["workload"]["direct_io"] = comparison.direct_io();
  json["notes"] = comparison.workload().notes;
  json["problems"] = Problems(json["curves"]);
  return Outcome{AsText(json), json};
}

}  // namespace linebloom::tools
