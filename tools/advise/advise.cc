// linebloom advise: what filters a database has, what lookups are expected to
// read with them and with others, and what to do.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "filter_policy/bits/auto_bits.h"
#include "filter_policy/bits/read_model.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"
#include "table/status.h"
#include "tools/advise/tree_facts.h"
#include "tools/report/commands.h"
#include "tools/report/flags.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

using read_model::Cache;
using read_model::Choice;
using read_model::Files;
using read_model::Filters;
using read_model::Load;
using read_model::Reads;
using read_model::Run;
using read_model::Tree;

struct AdviseConfig {
  std::string db;
  std::string column_family;        // "": all
  std::optional<uint64_t> memory;   // bytes of the block cache
  std::optional<uint64_t> shards;   // of it
  std::optional<double> hit_ratio;  // share of the lookups that find a row
};

// Less isn't worth a change: the model is hardly more exact.
constexpr double kWorthIt = 1.1;

// Fewer reads per lookup count as none.
constexpr double kNone = 1e-6;
double Rounded(double reads) { return kNone * std::round(reads / kNone); }

constexpr uint64_t kSmallestCache = 64 << 10;

// A choice of filters, and what is expected with it.
struct Candidate {
  std::string label;
  std::string policy;  // option string; "" if there is none
  bool partitioned;
  Reads reads;
};

// The trees whose files have what `filters_of` returns, or else what new files
// get.
std::vector<Tree> WithFilters(
    std::vector<Tree> trees,
    const std::function<std::optional<Filters>(const Files&)>& filters_of) {
  for (Tree& tree : trees) {
    for (Run& run : tree.runs) {
      for (Files& files : run.files) files.kept = filters_of(files);
    }
  }
  return trees;
}

// What new files would get.
std::vector<Tree> Rewritten(const std::vector<Tree>& trees) {
  return WithFilters(trees, [](const Files&) { return std::nullopt; });
}

// Filters of RocksDB's with ten bits.
std::vector<Tree> WithBloom(const std::vector<Tree>& trees) {
  const double rate =
      ExpectedRate(LineKind::kPlain, 10 * kMillibitsPerBit, kBitsPerLine / 10);
  return WithFilters(trees, [&](const Files& files) {
    return Filters{files.filter_keys * 10 / 8, rate};
  });
}

// What linebloom would choose for new files. No option string has a choice of
// no filters in the last level.
Candidate Auto(const CacheFacts& facts, Cache cache, const Load& load,
               bool are_hits_known, bool partitioned) {
  const std::vector<Tree> trees = Rewritten(facts.trees);
  cache.partitioned = partitioned;
  Choice choice;
  if (cache.holds_metadata) {
    choice = are_hits_known
                 ? read_model::BestChoice(trees, cache, {load},
                                          load.hit_share >= 0.5)
                 : read_model::BestChoice(trees, cache,
                                          read_model::LoadsBetween(0, 1, 0));
  }
  const std::string bits = absl::StrCat(choice.average_bits);
  const bool all = choice.filters_last_run;
  return {absl::StrCat("linebloom (", bits, " bits", all ? ")" : ", last 0)"),
          all ? absl::StrCat("{id=linebloom;bits_per_key=", bits,
                             ";level_aware=true}")
              : "",
          partitioned, read_model::ReadsPerLookup(trees, cache, load, choice)};
}

// The first is what there is, the second what linebloom chooses.
std::vector<Candidate> Candidates(const CacheFacts& facts, const Load& load,
                                  bool are_hits_known) {
  const Cache& cache = facts.cache;
  const auto expect = [&](const std::vector<Tree>& trees,
                          const Choice& choice) {
    return read_model::ReadsPerLookup(trees, cache, load, choice);
  };
  std::vector<Candidate> candidates = {
      {"these files", "", cache.partitioned, expect(facts.trees, {})},
      Auto(facts, cache, load, are_hits_known, cache.partitioned)};
  if (cache.holds_metadata) {
    candidates.push_back(
        Auto(facts, cache, load, are_hits_known, !cache.partitioned));
  }
  candidates.push_back({"linebloom:10", "linebloom:10", cache.partitioned,
                        expect(Rewritten(facts.trees),
                               {.average_bits = 10, .by_level = false})});
  candidates.push_back({"bloomfilter:10", "bloomfilter:10", cache.partitioned,
                        expect(WithBloom(facts.trees), {})});
  return candidates;
}

Json AsJson(const Candidate& candidate) {
  const Reads& reads = candidate.reads;
  return {{"label", candidate.label},
          {"policy", candidate.policy},
          {"layout", candidate.partitioned ? "parts" : "whole"},
          {"filter_bytes", std::round(reads.filter_bytes)},
          {"index_bytes", std::round(reads.index_bytes)},
          {"meta_bytes", std::round(reads.filter_bytes + reads.index_bytes)},
          {"reads_per_lookup",
           {{"all", Rounded(reads.all())},
            {"filter", Rounded(reads.filter)},
            {"index", Rounded(reads.index)},
            {"data", Rounded(reads.data)}}}};
}

// "Filters: linebloom in 38 of 39 files, 10.2 bits per key."
std::string FiltersInWords(const CacheFacts& facts, double filter_bytes) {
  if (facts.filtered == 0) {
    return "Filters: none. A lookup of a missing row reads a block of each "
           "file "
           "that it meets.";
  }
  const std::string files =
      facts.filtered == facts.files
          ? facts.files == 1 ? "its file" : "all " + FilesText(facts.files)
          : absl::StrCat(WithThousands(facts.filtered), " of ",
                         FilesText(facts.files));
  return absl::StrFormat(
      "Filters: %s in %s, %s bits per key.",
      facts.policies.empty() ? "of unknown policy" : facts.policies, files,
      facts.keys > 0 ? absl::StrFormat("%.1f", 8 * filter_bytes / facts.keys)
                     : "unknown");
}

// Where the filters and indexes are, and whether there is room for them.
std::string FitInWords(const CacheFacts& facts, const Reads& now) {
  const std::string sizes = absl::StrCat(
      facts.filtered == 0
          ? ""
          : absl::StrCat("filters (", ThreeDigits(now.filter_bytes / 1e6),
                         " MB) and "),
      "indexes (", ThreeDigits(now.index_bytes / 1e6), " MB)");
  const std::string beside =
      absl::StrCat("By cache_index_and_filter_blocks=false the ", sizes,
                   " take their memory beside the block cache");
  if (!facts.cache.holds_metadata) return absl::StrCat(beside, ".");
  if (facts.cache.capacity <= 0) {
    return absl::StrCat(
        "Whether ", sizes,
        " fit the block cache isn't known: no info log of an application says "
        "how large it is; --memory does.");
  }
  const double share =
      (now.filter_bytes + now.index_bytes) / facts.cache.capacity;
  const std::string capacity = ThreeDigits(facts.cache.capacity / 1e6);
  return absl::StrCat(
      facts.is_beside
          ? absl::StrCat(beside, ". In one of ", capacity,
                         " MB that they share with data they would take ",
                         ThreeDigits(100 * share), " %")
          : absl::StrCat("The ", sizes, " take ", ThreeDigits(100 * share),
                         " % of the block cache of ", capacity, " MB"),
      share > 1     ? ": the rest is read again and again."
      : share > 0.8 ? ", which leaves little for data."
                    : ", and fit.");
}

// What could be gained, and how.
std::string GainInWords(const CacheFacts& facts,
                        const std::vector<Candidate>& candidates) {
  const double now = candidates[0].reads.all();
  const Candidate& best = candidates[1];
  if (now < kNone) {
    return "Everything fits the cache, and lookups read nothing: keep what you "
           "have.";
  }
  const auto blocks = [](double reads) {
    return reads < kNone ? "no" : ThreeDigits(1000 * reads);
  };
  if (now < kWorthIt * best.reads.all()) {
    return absl::StrFormat(
        "1,000 lookups are expected to read %s blocks, and %s with what "
        "linebloom would choose: keep what you have.",
        blocks(now), blocks(best.reads.all()));
  }
  return absl::StrFormat(
      "1,000 lookups are expected to read %s blocks, but %s with "
      "filter_policy=linebloom%s and listeners=linebloom_level_sizes.",
      blocks(now), blocks(best.reads.all()),
      facts.is_beside ? ", cache_index_and_filter_blocks=true" : "");
}

// `family`: the only one of this cache, if others have caches of their own.
std::string CommandFor(const AdviseConfig& config, const std::string& family,
                       const CacheFacts& facts,
                       const std::vector<Candidate>& candidates) {
  const std::string db = absl::StrCat(
      ShellQuoted(config.db),
      family.empty() ? ""
                     : absl::StrCat(" --column_family=", ShellQuoted(family)));
  if (facts.cache.capacity <= 0) {
    return absl::StrCat("linebloom advise ", db, " --memory=BYTES");
  }
  const double now = candidates[0].reads.all();
  if (now < kWorthIt * candidates[1].reads.all() + kNone) {
    return absl::StrCat("linebloom verify ", db);
  }
  if (candidates[1].policy.empty()) {
    return absl::StrCat(
        "linebloom compare ", ShellQuoted(config.db), " --memory=",
        NumberText(static_cast<uint64_t>(facts.cache.capacity), Unit::kBytes));
  }
  const bool is_smaller =
      candidates[1].reads.filter_bytes < candidates[0].reads.filter_bytes;
  return absl::StrCat(
      "linebloom migrate ", db, " --dry_run --policy=",
      // Outside the cache bits_per_key=auto chooses none.
      facts.is_beside ? ShellQuoted(candidates[1].policy) : "linebloom",
      facts.is_beside || !config.memory
          ? ""
          : absl::StrCat(" --memory=",
                         NumberText(*config.memory, Unit::kBytes)),
      facts.is_beside || !config.hit_ratio
          ? ""
          : absl::StrCat(" --hit_ratio=", *config.hit_ratio),
      is_smaller && !facts.is_beside ? " --allow_more_reads" : "");
}

// The verdict's sentences, the last of which say what could be gained.
std::vector<std::string> Verdict(const CacheFacts& facts,
                                 const std::vector<Candidate>& candidates) {
  const Reads& now = candidates[0].reads;
  std::vector<std::string> verdict = {FiltersInWords(facts, now.filter_bytes),
                                      FitInWords(facts, now)};
  if (facts.cache.capacity <= 0) return verdict;
  verdict.push_back(GainInWords(facts, candidates));
  return verdict;
}

Json AdviseOn(const CacheFacts& facts, const AdviseConfig& config,
              const std::string& family, const Load& load,
              bool are_hits_known) {
  Json json = {{"column_families", facts.families},
               {"files", facts.files},
               {"files_with_filters", facts.filtered},
               {"rows", nullptr},
               {"policies", facts.policies},
               {"memory", nullptr},
               {"shards", nullptr},
               {"candidates", Json::array()}};
  json["rows"] = static_cast<uint64_t>(facts.rows);
  const std::vector<Candidate> candidates =
      Candidates(facts, load, are_hits_known);
  json["verdict"] = Verdict(facts, candidates);
  json["next"] = CommandFor(config, family, facts, candidates);
  if (facts.cache.capacity <= 0) return json;
  json["memory"] = static_cast<uint64_t>(facts.cache.capacity);
  json["shards"] = static_cast<uint64_t>(facts.cache.shards);
  for (const Candidate& candidate : candidates) {
    json["candidates"].push_back(AsJson(candidate));
  }
  return json;
}

std::string AsText(const Json& cache, bool is_only_one) {
  std::string text;
  if (!is_only_one) {
    const auto names = cache["column_families"].get<std::vector<std::string>>();
    text =
        absl::StrCat("\n",
                     names.size() > 5 ? absl::StrCat(names.size(), " families")
                                      : absl::StrJoin(names, ", "),
                     ", ", FilesText(cache["files"]), "\n");
  }
  absl::StrAppend(&text, BulletsText(cache["verdict"]));
  const Json& candidates = cache["candidates"];
  const bool reads_something =
      !candidates.empty() && candidates[0]["reads_per_lookup"]["all"] > 0;
  if (reads_something) {
    absl::StrAppend(
        &text,
        Fill("\nBlocks read per 1,000 lookups, expected under a cache of "
             "{/memory:MB} MB ({/shards:,} ",
             cache),
        cache["shards"] == 1 ? "shard" : "shards", "):\n\n",
        TextTable({{"", "{/label}"},
                   {"", "{/layout}"},
                   {"MB", "{/meta_bytes:MB}"},
                   {"all", "{/reads_per_lookup/all:1000}"},
                   {"= filter", "{/reads_per_lookup/filter:1000}"},
                   {"+ index", "{/reads_per_lookup/index:1000}"},
                   {"+ data", "{/reads_per_lookup/data:1000}"}},
                  candidates),
        "\n",
        WrapText("MB: filters and indexes. whole: one block for each file; "
                 "parts: partition_filters=true. An estimate for an LRU cache "
                 "and lookups spread evenly; 'linebloom compare' measures.",
                 kTextWidth, 0),
        "\n\n");
  }
  std::string next = absl::StrCat("Next: ", cache["next"].get<std::string>());
  if (next.size() > kTextWidth) {
    next = absl::StrReplaceAll(next, {{" --dry_run", " \\\n  --dry_run"}});
  }
  return absl::StrCat(text, next, "\n");
}

// Reads the metadata of the database's files, which another process may have
// open, and writes nothing. Errors of ReadAdviseFacts().
absl::StatusOr<Outcome> RunAdvise(const AdviseConfig& config) {
  ASSIGN_OR_RETURN(
      AdviseFacts facts,
      ReadAdviseFacts(config.db, config.column_family, config.memory));
  const std::optional<double> counted =
      config.hit_ratio ? config.hit_ratio : facts.hit_ratio;
  const Load load = {.hit_share = counted.value_or(0)};
  Json json = {{"database", config.db},
               {"files", facts.files},
               {"hit_ratio", load.hit_share},
               {"hits_from", config.hit_ratio  ? "--hit_ratio"
                             : facts.hit_ratio ? "by the info log"
                                               : "not known"},
               {"chosen_bits", facts.chosen_bits},
               {"caches", Json::array()},
               {"notes", facts.findings.notes},
               {"problems", facts.findings.problems}};
  std::string text =
      absl::StrFormat("%s. Lookups: %.3g %% for missing rows (%s)\n",
                      Fill("{/database}: ", json) + FilesText(facts.files),
                      100 * (1 - load.hit_share), Fill("{/hits_from}", json));
  if (!facts.chosen_bits.empty()) {
    absl::StrAppend(&text, BulletText(facts.chosen_bits));
  }
  for (CacheFacts& cache : facts.caches) {
    RETURN_IF_ERROR(CheckInterrupt());
    if (config.shards) cache.cache.shards = static_cast<double>(*config.shards);
    const bool has_own_cache =
        facts.caches.size() > 1 && cache.families.size() == 1;
    json["caches"].push_back(AdviseOn(
        cache, config, has_own_cache ? cache.families[0] : config.column_family,
        load, counted.has_value()));
  }
  for (const Json& cache : json["caches"]) {
    absl::StrAppend(&text, AsText(cache, json["caches"].size() == 1));
  }
  return Outcome{text, json};
}

Runner DeclareAdvise(CLI::App* app) {
  const auto config = std::make_shared<AdviseConfig>();
  app->add_option("database", config->db, "the database's folder")->required();
  AddNumber(app, "--memory", &config->memory, Unit::kBytes, kSmallestCache,
            UINT64_MAX,
            "bytes of one block cache for all, with filters and indexes in it; "
            "by default as the info log says");
  AddNumber(app, "--shards", &config->shards, Unit::kNone, 1, 1 << 20,
            "shards of the cache; by default as the info log says, or as many "
            "as RocksDB would make");
  app->add_option("--column_family", config->column_family,
                  "only this column family; default: all");
  AddNumber(app, "--hit_ratio", &config->hit_ratio, Unit::kShare, 0, 1,
            "share of lookups for existing rows; by default as the info log "
            "says, or 3%");
  return [config] { return RunAdvise(*config); };
}

}  // namespace

const Subcommand kAdvise = {
    "advise",
    R"(says whether a database's filters fit its cache, and what others would read.

Predicts from the files' metadata what lookups read with each policy, when
filters, indexes and data share a block cache.

  linebloom advise /var/lib/my_database
  linebloom advise /var/lib/my_database --memory=512MB --hit_ratio=30%

Files are only read, and another process may have the database open. Exits with
0; with 1 if files lack filters that they should have; with 2 for bad usage or
a database that can't be read; with 130 after Ctrl-C.)",
    DeclareAdvise};

}  // namespace linebloom::tools
