// linebloom advise: recommends a filter policy for a database and the memory of
// its block cache.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/levels/allocation.h"
#include "filter_policy/levels/new_file.h"
#include "filter_policy/levels/tree_state.h"
#include "table/status.h"
#include "tools/advise/lookup_costs.h"
#include "tools/advise/tree_facts.h"
#include "tools/commands.h"
#include "tools/compare/keys.h"
#include "tools/compare/memory.h"
#include "tools/compare/trace.h"
#include "tools/shared/databases.h"
#include "tools/shared/flags.h"
#include "tools/shared/info_log.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

struct AdviseConfig {
  std::string db;
  std::string column_family;  // "": all
  uint64_t memory = 0;        // bytes of the block cache
  // Share of the lookups whose row exists; by default as the info log's last
  // statistics say, or none.
  std::optional<double> hit_ratio;
  std::string skew;   // of the lookups (keys.h)
  uint64_t seed = 1;  // decides where the skew's ranges lie
  std::string trace;  // whose lookups they are, in place of both
};

// Policies that expect at most this many times the fewest reads are as good:
// the model is no more exact.
constexpr double kAsGood = 1.02;
// What is recommended mustn't stand on the edge of the cliff.
constexpr double kInLess = 0.985;

using Filters = std::vector<std::vector<FilterSize>>;  // by tree and file

struct Candidate {
  std::string group;   // in the table
  std::string label;   // short
  std::string policy;  // option string
  bool partitioned = false;
  ExpectedReads reads = {};
  double per_lookup = 0;
  double in_less = 0;  // the same in kInLess of the cache
};

double FilterKeys(const TreeFacts& facts) {
  double keys = 0;
  for (const Tree& tree : facts.trees) {
    for (const TreeFile& file : tree.files) keys += file.filter_keys;
  }
  return keys;
}

// The filters of files that are written into the trees as they are, each with
// the bits per key of `bits_of`, which takes a NewFile.
template <typename BitsOf>
Filters FiltersOf(const TreeFacts& facts, const FilterCurve& curve,
                  const BitsOf& bits_of) {
  Filters filters;
  const double all_keys = FilterKeys(facts);
  for (const Tree& tree : facts.trees) {
    const auto state = std::make_shared<TreeState>();
    for (const TreeFile& file : tree.files) {
      state->Add(file.filter_keys, file.level);
    }
    filters.emplace_back();
    std::map<int, double> bits_of_levels;
    for (const TreeFile& file : tree.files) {
      double& bits = bits_of_levels[file.level];
      if (file.level == 0 || bits == 0) {
        bits = bits_of(
            NewFile{.reason = rocksdb::TableFileCreationReason::kCompaction,
                    .tree = state,
                    .input_keys = file.filter_keys,
                    .all_keys = all_keys,
                    .level = file.level});
      }
      filters.back().push_back(curve.Requested(bits, file.filter_keys));
    }
  }
  return filters;
}

// Every policy that is tried, whole and partitioned, with what it reads.
std::vector<Candidate> TryAll(const TreeFacts& facts,
                              const FilterCurves& curves,
                              const ExpectedLookups& lookups) {
  std::vector<Candidate> candidates;
  for (const bool partitioned : {false, true}) {
    CacheUse use = facts.use;
    use.partitioned = partitioned;
    const auto add = [&](Candidate candidate, const Filters& filters) {
      candidate.partitioned = partitioned;
      candidate.reads = ExpectReads(facts.trees, filters, use, lookups);
      candidate.per_lookup = candidate.reads.per_lookup(lookups.hit_ratio);
      CacheUse less = use;
      less.capacity *= kInLess;
      candidate.in_less = ExpectReads(facts.trees, filters, less, lookups)
                              .per_lookup(lookups.hit_ratio);
      candidates.push_back(std::move(candidate));
    };
    for (int bits = kMinTriedBits; bits <= kMaxTriedBits; ++bits) {
      const auto even = [bits](const NewFile& /*file*/) { return bits; };
      add({"bloom", BloomOptions(bits), BloomOptions(bits)},
          FiltersOf(facts, curves.bloom, even));
      add({"ribbon", absl::StrCat("ribbonfilter:", bits), RibbonOptions(bits)},
          FiltersOf(facts, curves.ribbon, even));
      add({"linebloom", LinebloomOptions(bits), LinebloomOptions(bits)},
          FiltersOf(facts, curves.linebloom, even));
      add({"levels", absl::StrCat("linebloom:", bits, ", levels"),
           absl::StrCat("{id=linebloom;bits_per_key=", bits,
                        ";level_aware=true}")},
          FiltersOf(facts, curves.linebloom, [&](const NewFile& file) {
            return BitsForFile(file, bits, LineKind::kSolved);
          }));
    }
    for (int percent = 20; percent <= 90; percent += 10) {
      const double budget = facts.use.capacity * percent / 100;
      const std::string label = absl::StrCat("memory_budget=", percent, "%");
      add({"budget", label, absl::StrCat("{id=linebloom;", label, "}")},
          FiltersOf(facts, curves.linebloom, [&](const NewFile& file) {
            return BitsWithinBudget(file, budget, LineKind::kSolved);
          }));
    }
  }
  return candidates;
}

// The candidate that reads least, of those that are `wanted`.
template <typename Wanted>
const Candidate& Best(const std::vector<Candidate>& candidates,
                      const Wanted& wanted) {
  const auto cost = [&](const Candidate& c) {
    return std::pair(!wanted(c), c.in_less);
  };
  return *std::ranges::min_element(candidates, {}, cost);
}

// Of those that read as little as the best: no Ribbon filter, whose lookups and
// building take several times the CPU; laid out as now; with the least memory.
const Candidate& Recommend(const std::vector<Candidate>& candidates,
                           bool partitioned_now) {
  const double least = Best(candidates, [](const Candidate& c) {
                         return c.group != "budget";
                       }).in_less;
  const auto cost = [&](const Candidate& c) {
    return std::tuple(c.group == "budget" || c.in_less > kAsGood * least,
                      c.group == "ribbon", c.partitioned != partitioned_now,
                      c.reads.filter_bytes);
  };
  return *std::ranges::min_element(candidates, {}, cost);
}

Json ReadsAsJson(const Reads& reads) {
  return {{"filter", reads.filter},
          {"index", reads.index},
          {"data", reads.data},
          {"all", reads.all()}};
}

Json AsJson(const Candidate& candidate) {
  return {{"policy", candidate.policy},
          {"label", candidate.label},
          {"partitioned", candidate.partitioned},
          {"layout", candidate.partitioned ? "parts" : "whole"},
          {"filter_bytes", std::round(candidate.reads.filter_bytes)},
          {"index_bytes", std::round(candidate.reads.index_bytes)},
          {"meta_bytes",
           candidate.reads.filter_bytes + candidate.reads.index_bytes},
          {"reads_per_missing", ReadsAsJson(candidate.reads.per_missing)},
          {"reads_per_present", ReadsAsJson(candidate.reads.per_present)},
          {"reads_per_lookup", candidate.per_lookup},
          {"reads_per_lookup_in_less", candidate.in_less}};
}

// The best of each group and layout, after what there is now.
Json TableRows(const std::vector<Candidate>& candidates, const Json& present) {
  Json rows = Json::array({present});  // {present} is a copy to clang
  for (const bool partitioned : {false, true}) {
    for (const char* group :
         {"bloom", "ribbon", "linebloom", "levels", "budget"}) {
      rows.push_back(AsJson(Best(candidates, [&](const Candidate& c) {
        return c.group == group && c.partitioned == partitioned;
      })));
    }
  }
  return rows;
}

std::string Why(const Json& json) {
  const auto share = [&](const Json& of) {
    return of["meta_bytes"].get<double>() / json["memory"].get<double>();
  };
  const Json& now = json["present"];
  const Json& best = json["recommended"];
  std::string why = absl::StrFormat(
      "Filters and indexes take %s MB now, %.0f %% of the cache, and %s MB, "
      "%.0f %%, with it. A lookup is expected to read %s blocks now and %s "
      "then",
      ThreeDigits(now["meta_bytes"].get<double>() / 1e6), 100 * share(now),
      ThreeDigits(best["meta_bytes"].get<double>() / 1e6), 100 * share(best),
      ThreeDigits(now["reads_per_lookup"]),
      ThreeDigits(best["reads_per_lookup"]));
  return absl::StrCat(
      why, share(now) > 1
               ? ": what doesn't fit is read again before it can reject "
                 "anything."
               : ".");
}

std::string AsText(const Json& json, const Json& rows) {
  std::string text = Fill(
      "{/database}: {/files:,} files, {/rows:,} rows, filters of {/policies}\n",
      json);
  absl::StrAppend(
      &text,
      Fill("A block cache of {/memory:MB} MB for filters, indexes and data\n",
           json),
      WrapText(Fill("{/lookups}", json), kTextWidth, 2),
      "\n\nBlocks read per 1,000 lookups, expected:\n\n",
      TextTable({{"", "{/label}"},
                 {"", "{/layout}"},
                 {"MB", "{/meta_bytes:MB}"},
                 {"missing", "{/reads_per_missing/all:1000}"},
                 {"filter", "{/reads_per_missing/filter:1000}"},
                 {"index", "{/reads_per_missing/index:1000}"},
                 {"data", "{/reads_per_missing/data:1000}"},
                 {"present", "{/reads_per_present/all:1000}"}},
                rows));
  const Json& best = json["recommended"];
  absl::StrAppend(
      &text,
      "\nRecommended:\n\n  filter_policy=", best["policy"].get<std::string>(),
      "\n",
      best["partitioned"] == true
          ? "  partition_filters=true\n  index_type=kTwoLevelIndexSearch\n"
          : "",
      "  cache_index_and_filter_blocks=true\n",
      best["needs_listener"] == true ? "  listeners=linebloom_level_sizes\n"
                                     : "",
      "\n", WrapText(Why(json), kTextWidth, 0), "\n",
      BulletsText(json["notes"]));
  return text;
}

std::vector<std::string> Notes(const TreeFacts& facts, const Json& budget,
                               const Json& recommended) {
  std::vector<std::string> notes;
  notes.push_back(absl::StrFormat(
      "As data grows the best number of bits falls. %s follows it by itself: "
      "%s reads per lookup are expected with it, %s with what is recommended.",
      budget["label"].get<std::string>(),
      ThreeDigits(budget["reads_per_lookup"]),
      ThreeDigits(recommended["reads_per_lookup"])));
  if (!facts.use.holds_filters) {
    notes.emplace_back(
        "The database has cache_index_and_filter_blocks=false: its filters and "
        "indexes take their memory beside the cache, whatever it is.");
  }
  if (facts.unfiltered > 0) {
    notes.push_back(absl::StrCat(WithThousands(facts.unfiltered),
                                 " files have no filter now."));
  }
  notes.emplace_back(
      "MB: filters and indexes. whole: one block per file; parts: "
      "partition_filters=true. Che's approximation of an LRU cache, which "
      "takes lookups to be independent (docs/memory.md has its error). "
      "compare --memory measures it.");
  return notes;
}

// `hits_from` is set to a remark on where the hit ratio comes from.
absl::StatusOr<ExpectedLookups> LookupsOf(const AdviseConfig& config,
                                          std::string* hits_from) {
  ExpectedLookups lookups;
  if (!config.trace.empty()) {
    ASSIGN_OR_RETURN(const ReadOnlyDatabase database,
                     ReadOnlyDatabase::Open("DATABASE", config.db));
    ASSIGN_OR_RETURN(const Trace trace, ReadTrace(config.trace, database.db()));
    lookups.hit_ratio = 1.0 * trace.existing / trace.keys.size();
    ASSIGN_OR_RETURN(lookups.skew, trace.SkewIn(database.db()));
    return lookups;
  }
  if (config.hit_ratio) {
    lookups.hit_ratio = *config.hit_ratio;
  } else {
    const std::string log_dir = LoadStoredOptions(config.db).db.db_log_dir;
    ASSIGN_OR_RETURN(const InfoLogFacts log, ReadInfoLog(config.db, log_dir));
    if (log.hit_ratio) *hits_from = " (by the info log)";
    lookups.hit_ratio = log.hit_ratio.value_or(lookups.hit_ratio);
  }
  ASSIGN_OR_RETURN(lookups.skew, Skew::Parse(config.skew, config.seed));
  return lookups;
}

// Reads the footers, properties and metaindexes of the database's files, which
// another process may have open, and writes nothing. Tries Bloom, Ribbon and
// linebloom of 3 to 16 bits per key, level-aware too, and memory budgets, whole
// and partitioned. Only a trace's lookups are made. InvalidArgument for options
// out of range; else the errors of ListLiveFiles, SstFile and ReadTrace.
absl::StatusOr<Outcome> RunAdvise(const AdviseConfig& config) {
  std::string hits_from;
  ASSIGN_OR_RETURN(const ExpectedLookups lookups,
                   LookupsOf(config, &hits_from));
  ASSIGN_OR_RETURN(const FilterCurves curves, FilterCurves::Make());
  ASSIGN_OR_RETURN(
      TreeFacts facts,
      ReadTreeFacts("DATABASE", config.db, config.column_family, curves));
  facts.use.capacity = config.memory;
  const std::vector<Candidate> candidates = TryAll(facts, curves, lookups);
  Candidate now = {"", "now", "", facts.use.partitioned,
                   ExpectReads(facts.trees, facts.filters, facts.use, lookups)};
  now.per_lookup = now.reads.per_lookup(lookups.hit_ratio);

  Json json = {
      {"database", config.db},
      {"files", facts.files},
      {"rows", static_cast<uint64_t>(facts.rows)},
      {"policies", facts.policies.empty() ? "none" : facts.policies},
      {"memory", config.memory},
      {"hit_ratio", lookups.hit_ratio},
      {"skew", config.skew},
      {"lookups",
       absl::StrFormat("Lookups: %.3g %% for missing rows%s, %s",
                       100 * (1 - lookups.hit_ratio), hits_from,
                       lookups.skew.is_uniform() ? "evenly spread"
                                                 : lookups.skew.InWords())},
      {"present", AsJson(now)},
      {"recommended", AsJson(Recommend(candidates, facts.use.partitioned))},
      {"candidates", Json::array()}};
  json["recommended"]["needs_listener"] = absl::StrContains(
      json["recommended"]["policy"].get<std::string>(), "level_aware");
  for (const Candidate& candidate : candidates) {
    json["candidates"].push_back(AsJson(candidate));
  }
  const Json budget = AsJson(Best(candidates, [&](const Candidate& c) {
    return c.group == "budget" &&
           c.partitioned == json["recommended"]["partitioned"];
  }));
  json["as_data_grows"] = budget;
  json["notes"] = Notes(facts, budget, json["recommended"]);
  json["problems"] = Json::array();
  return Outcome{AsText(json, TableRows(candidates, json["present"])), json};
}

Runner DeclareAdvise(CLI::App* app) {
  const auto config = std::make_shared<AdviseConfig>();
  app->add_option("database", config->db, "the database's folder")->required();
  AddNumber(app, "--memory", &config->memory, Unit::kBytes, kMinMemory,
            MemoryOfMachine(), "bytes of the block cache")
      ->required();
  app->add_option("--column_family", config->column_family,
                  "only this column family; default: all");
  AddNumber(app, "--hit_ratio", &config->hit_ratio, Unit::kShare, 0, 1,
            "share of lookups for existing rows; by default as the "
            "statistics in the info log say, or none");
  app->add_option("--skew", config->skew,
                  "how lookups are spread over the key space, such as "
                  "80/20 or zipf:0.99; by default evenly");
  app->add_option("--trace", config->trace,
                  "the lookups of this trace, by DB::StartTrace(), say both")
      ->excludes("--hit_ratio")
      ->excludes("--skew");
  AddNumber(app, "--seed", &config->seed, Unit::kNone, 0, UINT64_MAX,
            "decides where the popular ranges of --skew are");
  return [config] { return RunAdvise(*config); };
}

}  // namespace

const Subcommand kAdvise = {
    "advise",
    R"(recommends a filter policy for a database and the memory of its cache.

Predicts from the files' metadata what lookups read with each policy, when
filters, indexes and data share one block cache.

  linebloom advise /var/lib/my_database --memory=512MB
  linebloom advise /var/lib/my_database --memory=512MB --hit_ratio=30%

Files are only read, and another process may have the database open. Exits with
0; with 2 for bad usage or a database that can't be read; with 130 after
Ctrl-C.)",
    DeclareAdvise};

}  // namespace linebloom::tools
