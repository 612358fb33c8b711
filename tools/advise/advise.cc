// linebloom advise: what filters a database has, what lookups are expected to
// read with them and with others, and what to do.
#include <algorithm>
#include <cmath>
#include <cstdint>
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
#include "table/status.h"
#include "tools/database/caches.h"
#include "tools/database/database_facts.h"
#include "tools/database/policies.h"
#include "tools/report/commands.h"
#include "tools/report/flags.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

using read_model::Choice;
using read_model::Reads;

struct AdviseConfig {
  std::vector<std::string> databases;
  SaidLoad said;
};

// What is known of a database, and of its caches.
struct Advised {
  DatabaseFacts database;
  DatabaseCaches caches;
  Policies policies;  // of new files
};

// Less isn't worth a change: the model is hardly more exact. Fewer reads than
// one in a million lookups count as none.
bool IsMore(double reads, double than) { return reads > 1.1 * than + 1e-6; }

// True if something is to be gained for some share of hits, and nothing lost
// for any.
bool IsWorthIt(const ReadRange& now, const ReadRange& best) {
  return (IsMore(now.least_hits, best.least_hits) ||
          IsMore(now.most_hits, best.most_hits)) &&
         !IsMore(best.least_hits, now.least_hits) &&
         !IsMore(best.most_hits, now.most_hits);
}

// What is expected of files with the filters that they have, or of a choice.
Json Candidate(const std::string& label, const CacheLoad& load,
               const Choice& choice = {}) {
  const std::vector<read_model::Load> loads = read_model::LoadsBetween(
      load.hits.least, load.hits.most, load.scanned_blocks_per_lookup);
  const auto reads_of = [&](const read_model::Load& with) {
    return read_model::ReadsPerLookup(load.trees, load.cache, with, choice);
  };
  const Reads reads = reads_of(loads.front());
  Json json = {
      {"label", label},
      {"layout", !load.cache.holds_metadata ? "beside"
                 : load.cache.partitioned   ? "parts"
                                            : "whole"},
      {"filter_bytes", std::round(reads.filter_bytes)},
      {"index_bytes", std::round(reads.index_bytes)},
      {"meta_bytes", std::round(reads.filter_bytes + reads.index_bytes)},
      {"reads_per_1000",
       ReadsAsJson({reads.all(), reads_of(loads.back()).all()})}};
  if (loads.size() > 1) return json;
  json["filter"] = ReadsAsJson({reads.filter, reads.filter});
  json["index"] = ReadsAsJson({reads.index, reads.index});
  json["data"] = ReadsAsJson({reads.data, reads.data});
  return json;
}

// All files with filters of this policy, of the bits that it would choose if it
// has no number.
Json With(const std::string& policy, CacheLoad load) {
  const FilterPolicyPtr made = ReadPolicyString(policy).value();
  for (read_model::Tree& tree : load.trees) {
    tree = TreeWith(made.get(), std::move(tree));
  }
  if (!load.trees.front().renews) return Candidate(policy, load);
  const AutoBits best = BitsFor(load);
  load.trees = read_model::Renewed(std::move(load.trees));
  return Candidate(absl::StrCat(policy, " (", best.average_bits, " bits)"),
                   load, {best.average_bits});
}

// What there is comes first, then RocksDB's own format, which can be left again
// by a name. Filters beside the cache are compared with those in it, both as
// they are.
Json Candidates(CacheLoad load) {
  CacheLoad other = load;
  const bool is_beside = !load.cache.holds_metadata;
  if (is_beside) {
    other.cache.holds_metadata = true;
    return {Candidate("these files", load), Candidate("these files", other),
            With("linebloom:plain", load),  With("linebloom", load),
            With("linebloom", other),       With("bloomfilter:10", load)};
  }
  other.cache.partitioned = !load.cache.partitioned;
  return {Candidate("these files", load), With("linebloom:plain", load),
          With("linebloom", load),        With("linebloom", other),
          With("linebloom:10", load),     With("bloomfilter:10", load)};
}

// What there is of a cache, and whether something is to be gained.
Json Advice(const std::string& database, const CacheFacts& facts,
            const Policies& policies) {
  const Answer answer = AnswerFor(facts, policies);
  const FileTotals& totals = facts.load.totals;
  std::string names;
  for (const auto& [name, count] : facts.files.policies) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", name);
  }
  Json json = AsJson(facts, answer);
  json.update({{"database", database},
               {"files", facts.files.files},
               {"files_with_filters", facts.files.filtered},
               {"policies", names},
               {"bits_per_key",
                totals.keys > 0 ? Json(totals.bits / totals.keys) : Json()},
               {"filter_bytes", std::round(totals.bits / 8)},
               {"index_bytes", std::round(totals.index_bytes)},
               {"meta_bytes", std::round(totals.bits / 8 + totals.index_bytes)},
               {"shards", static_cast<uint64_t>(facts.load.cache.shards)},
               {"worth_it", facts.load.cache.capacity > 0 &&
                                IsWorthIt(answer.now, answer.best.reads)}});
  return json;
}

// Where the filters and indexes are, and whether there is room for them.
std::string FitInWords(const Json& cache) {
  const std::string sizes =
      Fill("filters ({/filter_bytes:MB} MB) and |", cache) +
      Fill("indexes ({/index_bytes:MB} MB)|none", cache);
  if (cache["holds_filters"] == false) {
    return absl::StrCat("By cache_index_and_filter_blocks=false the ", sizes,
                        " take their memory beside the block cache, and "
                        "linebloom doesn't choose their bits: new files get 10 "
                        "on average.");
  }
  if (cache["memory"].is_null()) {
    return absl::StrCat(
        "Whether ", sizes,
        " fit the block cache isn't known: no info log of an application says "
        "how large it is; --memory does.");
  }
  const double share =
      cache["meta_bytes"].get<double>() / cache["memory"].get<double>();
  return absl::StrCat(
      "The ", sizes, " take ", ThreeDigits(100 * share),
      Fill(" % of the block cache of {/memory:MB} MB ({/memory_from})", cache),
      share > 1 && cache["worth_it"] == true
          ? ": the rest is read again and again."
      : share > 1   ? ", and yet lookups read least so."
      : share > 0.8 ? ", which leaves little for data."
                    : ", and fit.");
}

// What could be gained, and how.
std::string GainInWords(const Json& cache) {
  const Json& reads = cache["reads_per_1000"];
  if (reads["now"] == 0) {
    return "Everything fits the cache, and lookups read nothing: keep what you "
           "have.";
  }
  return absl::StrCat(
      "1,000 lookups are expected to read ", Fill(ReadsCell("/now"), cache),
      " blocks, ", cache["worth_it"] == true ? "but " : "and ",
      Fill(ReadsCell("/best"), cache),
      cache["worth_it"] == true
          ? " with filter_policy=linebloom and "
            "listeners=linebloom_level_sizes."
          : " with what linebloom would choose: keep what you have.");
}

std::string CommandFor(const AdviseConfig& config, const Json& cache) {
  const std::string folder = ShellQuoted(cache["database"].get<std::string>());
  if (cache["memory"].is_null()) {
    return absl::StrCat("linebloom advise ", folder, " --memory=BYTES");
  }
  if (cache["worth_it"] == false) return "linebloom verify " + folder;
  const SaidLoad& said = config.said;
  const Json& reads = cache["reads_per_1000"];
  return absl::StrCat(
      "linebloom migrate ", folder, " --dry_run",
      reads["new"] == reads["best"] ? "" : " --policy=linebloom",
      said.memory
          ? absl::StrCat(" --memory=", NumberText(*said.memory, Unit::kBytes))
          : "",
      said.hit_ratio ? absl::StrCat(" --hit_ratio=", *said.hit_ratio) : "");
}

std::string CandidatesText(const Json& cache) {
  const Json& candidates = cache["candidates"];
  if (candidates.empty() || candidates[0]["reads_per_1000"] == 0) return "";
  std::vector<Column> columns = {{"", "{/label}"},
                                 {"", "{/layout}"},
                                 {"MB", "{/meta_bytes:MB}"},
                                 {"all", ReadsCell("")}};
  if (candidates[0].contains("filter")) {
    columns.insert(columns.end(), {{"= filter", "{/filter:3}"},
                                   {"+ index", "{/index:3}"},
                                   {"+ data", "{/data:3}"}});
  }
  return absl::StrCat(
      Fill("\nBlocks read per 1,000 lookups, expected under a cache of "
           "{/memory:MB} MB ({/shards:,} ",
           cache),
      cache["shards"] == 1 ? "shard" : "shards", "):\n\n",
      TextTable(columns, candidates), "\n",
      NamedText("",
                "MB: filters and indexes. whole: one block for each file; "
                "parts: partition_filters=true and "
                "index_type=kTwoLevelIndexSearch; beside: outside the cache, "
                "in memory of their own. An estimate for an LRU cache and "
                "lookups spread evenly; 'linebloom compare' measures.",
                0),
      "\n");
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
  absl::StrAppend(&text, BulletsText(cache["verdict"]), CandidatesText(cache));
  std::string next = absl::StrCat("Next: ", cache["next"].get<std::string>());
  if (next.size() > kTextWidth) {
    next = absl::StrReplaceAll(next, {{" --dry_run", " \\\n  --dry_run"}});
  }
  return absl::StrCat(text, next, "\n");
}

// InvalidArgument without files; else the errors of ReadDatabase() and SstFile.
absl::StatusOr<Advised> Read(const AdviseConfig& config,
                             const std::string& folder) {
  Advised advised;
  ASSIGN_OR_RETURN(advised.database, ReadDatabase(folder));
  if (advised.database.files.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("DATABASE='", folder,
                     "' has no SSTables: write or flush some rows first"));
  }
  ASSIGN_OR_RETURN(advised.caches, ReadCaches(advised.database, config.said));
  const Findings& findings = advised.caches.findings;
  for (const absl::Status& error : findings.unreadable) return error;
  advised.policies = PoliciesToBuild(advised.database);
  return advised;
}

// "75 % for missing rows (by the info log)".
std::string LookupsText(const DatabaseCaches& read) {
  const auto [least, most] = read.hits;
  if (least == 0 && most == 1) return "share of hits unknown";
  return absl::StrFormat(
      "%s%.3g %% for missing rows (%s)",
      least == most ? "" : absl::StrFormat("%.3g to ", 100 * (1 - most)),
      100 * (1 - least), read.hits_from);
}

// Reads the metadata of the database's files, which another process may have
// open, and writes nothing.
absl::StatusOr<Outcome> AdviseOne(const AdviseConfig& config) {
  const std::string& folder = config.databases[0];
  ASSIGN_OR_RETURN(const Advised advised, Read(config, folder));
  const DatabaseCaches& read = advised.caches;
  const std::string& chosen = advised.database.log.chosen_bits;
  Json json = {
      {"database", folder},    {"files", advised.database.files.size()},
      {"hit_ratio", nullptr},  {"hits_from", read.hits_from},
      {"chosen_bits", chosen}, {"caches", Json::array()}};
  if (read.hits.least == read.hits.most) json["hit_ratio"] = read.hits.most;
  read.findings.AddTo(&json);
  bool is_worth_it = !read.findings.problems.empty();
  std::string text =
      absl::StrCat(Fill("{/database}: ", json), FilesText(json["files"]),
                   ". Lookups: ", LookupsText(read), "\n",
                   chosen.empty() ? "" : BulletText(chosen));
  const bool is_only_one = read.caches.size() == 1;
  for (const CacheFacts& facts : read.caches) {
    RETURN_IF_ERROR(CheckInterrupt());
    Json cache = Advice(folder, facts, advised.policies);
    cache["verdict"] = {
        Fill("Filters: {/policies} in {/files_with_filters:,} of {/files:,} "
             "files, {/bits_per_key:.1f} bits per key.|Filters: none. A lookup "
             "of a missing row reads a block of each file that it meets.",
             cache),
        FitInWords(cache)};
    cache["candidates"] = Json::array();
    if (!cache["memory"].is_null()) {
      cache["verdict"].push_back(GainInWords(cache));
      cache["candidates"] = Candidates(facts.load);
    }
    cache["next"] = CommandFor(config, cache);
    is_worth_it = is_worth_it || cache["worth_it"] == true;
    absl::StrAppend(&text, AsText(cache, is_only_one));
    json["caches"].push_back(std::move(cache));
  }
  return Outcome{text, json, is_worth_it ? kExitFoundSomething : kExitFine};
}

// Adds the only cache of a database to what shares one.
void Share(const Advised& advised, CacheFacts* shared, Policies* policies) {
  const CacheFacts& more = advised.caches.caches[0];
  const auto name_of = [&](const std::string& family) {
    return absl::StrCat(advised.database.folder, ": ", family);
  };
  for (size_t i = 0; i < more.families.size(); ++i) {
    shared->families.push_back(name_of(more.families[i]));
    shared->load.trees.push_back(more.load.trees[i]);
  }
  for (const auto& [family, policy] : advised.policies) {
    (*policies)[name_of(family)] = policy;
  }
  shared->load.totals.Add(more.load.totals);
  shared->files.Add(more.files);
  shared->load.hits = more.load.hits;
  if (more.most_rows >= shared->most_rows) {
    shared->most_rows = more.most_rows;
    shared->load.cache = more.load.cache;
  }
}

// A line for each; with --memory they share that cache.
absl::StatusOr<Outcome> AdviseSeveral(const AdviseConfig& config) {
  Json json = {{"databases", Json::array()},
               {"caches", Json::array()},
               {"problems", Json::array()}};
  CacheFacts shared;
  Policies policies;
  bool is_unread = false;
  for (const std::string& folder : config.databases) {
    RETURN_IF_ERROR(CheckInterrupt());
    const absl::StatusOr<Advised> advised = Read(config, folder);
    if (!advised.ok()) {
      is_unread = true;
      json["problems"].push_back(std::string(advised.status().message()));
      continue;
    }
    for (const std::string& problem : advised->caches.findings.problems) {
      json["problems"].push_back(absl::StrCat(folder, ": ", problem));
    }
    for (CacheFacts facts : advised->caches.caches) {
      if (config.said.memory) facts.load.cache.capacity = 0;
      json["databases"].push_back(Advice(folder, facts, advised->policies));
    }
    if (config.said.memory) Share(*advised, &shared, &policies);
  }
  if (!shared.families.empty()) {
    const Json all = Advice("all", shared, policies);
    // migrate knows one database: with the whole cache for each, lookups of two
    // read twice as much as with Bloom filters.
    const double share = all["memory"].get<double>() /
                         std::max(all["meta_bytes"].get<double>(), 1.0);
    for (Json& one : json["databases"]) {
      one["share"] = std::round(share * one["meta_bytes"].get<double>());
    }
    json["caches"].push_back(all);
  }
  Json lines = json["databases"];
  for (const Json& cache : json["caches"]) lines.push_back(cache);
  const bool is_worth_it = std::ranges::any_of(
      lines, [](const Json& line) { return line["worth_it"] == true; });
  const std::string text = absl::StrCat(
      "Blocks read per 1,000 lookups\n\n",
      TextTable({{"", "{/database}"},
                 {"files", "{/files:,}"},
                 {"MB", "{/meta_bytes:MB}"},
                 {"now", ReadsCell("/now")},
                 {"new", ReadsCell("/new")},
                 {"best", ReadsCell("/best")},
                 {"share", "{/share:MB}"}},
                lines),
      NamedText("",
                "MB: filters and indexes. new: once 'linebloom migrate' has "
                "rewritten the files. share: MB of the cache, the --memory for "
                "migrate. 'linebloom advise' of one says more.",
                0));
  return Outcome{text, json,
                 is_unread ? kExitBadInput
                 : is_worth_it || !json["problems"].empty()
                     ? kExitFoundSomething
                     : kExitFine};
}

absl::StatusOr<Outcome> RunAdvise(const AdviseConfig& config) {
  return config.databases.size() == 1 ? AdviseOne(config)
                                      : AdviseSeveral(config);
}

Runner DeclareAdvise(CLI::App* app) {
  const auto config = std::make_shared<AdviseConfig>();
  SaidLoad* const said = &config->said;
  app->add_option("database", config->databases,
                  "the databases' folders; of several, a line for each")
      ->required();
  AddNumber(app, "--memory", &said->memory, Unit::kBytes, kSmallestCache,
            UINT64_MAX,
            "bytes of one block cache that all share; by default as the info "
            "logs say");
  AddNumber(app, "--hit_ratio", &said->hit_ratio, Unit::kShare, 0, 1,
            "share of lookups for existing rows; by default as the info log "
            "says");
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
  linebloom advise /var/lib/shards/*

Files are only read, and another process may have the database open. Exits with
0; with 1 if something is to be gained, or files lack filters that they should
have; with 2 for bad usage or a database that can't be read; with 130 after
Ctrl-C.)",
    DeclareAdvise};

}  // namespace linebloom::tools
