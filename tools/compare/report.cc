#include <algorithm>
#include <cstdint>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rocksdb/version.h"
#include "tools/compare/comparison.h"
#include "tools/database/intervals.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {

namespace {

// What voids the figures.
std::vector<std::string> Problems(const Comparison& comparison) {
  std::vector<std::string> problems;
  const Result& first = comparison.results.front();
  for (const Result& result : comparison.results) {
    if (result.files.shape != first.files.shape) {
      problems.push_back(absl::StrCat("the copies of ", first.policy, " and ",
                                      result.policy,
                                      " differ in more than their filters"));
    }
    if (result.measured.lost > 0) {
      problems.push_back(absl::StrCat(result.policy, " lost ",
                                      WithThousands(result.measured.lost),
                                      " rows that exist"));
    }
  }
  return problems;
}

std::vector<std::string> Notes(const Comparison& comparison, const Json& rows) {
  std::vector<std::string> notes;
  for (const Json& row : rows) {
    const bool is_cut = row[0]["label"].get<std::string>().front() == '[';
    if (is_cut) notes.push_back(Fill("{/0/label} is {/0/policy}.", row));
  }
  for (const std::string& note : comparison.notes) notes.push_back(note);
  const Result& first = comparison.results.front();
  if (!first.files.are_as_before) {
    notes.emplace_back(
        "The copies are alike, but their files aren't quite those of the "
        "database.");
  }
  if (first.measured.unexpected > 0) {
    notes.push_back(absl::StrCat(
        WithThousands(first.measured.unexpected),
        " of the keys looked up as missing exist. They count as found, not as "
        "false positives."));
  }
  return notes;
}

// A policy's name in tables and pictures: the whole of its short form, or a
// number with as much of it as there is room for.
std::string Label(const std::string& policy, size_t number) {
  constexpr size_t kMaxLabel = 25;
  const std::string name = ShortPolicyName(policy);
  if (name.size() <= kMaxLabel) return name;
  const std::string start = absl::StrCat("[", number, "] ");
  return absl::StrCat(start, name.substr(0, kMaxLabel - start.size() - 2),
                      "..");
}

Json WorkloadAsJson(const Comparison& comparison) {
  const CompareConfig& config = comparison.config;
  const Result& first = comparison.results.front();
  std::vector<uint64_t> files;  // by level
  // What a lookup of a missing key has to go through, of all column families.
  std::set<std::pair<std::string, int>> levels;
  for (const FileShape& file : first.files.shape) {
    files.resize(std::max<size_t>(files.size(), file.level + 1));
    ++files[file.level];
    if (file.level > 0) levels.emplace(file.family, file.level);
  }
  Json json = {{"hit_ratio", comparison.hit_ratio},
               {"seed", config.seed},
               {"lookups", comparison.lookups},
               {"rows", first.files.entries},
               {"files", first.files.shape.size()},
               {"files_per_level", files},
               {"sorted_runs", levels.size() + (files.empty() ? 0 : files[0])},
               {"direct_io", comparison.direct_io}};
  if (!config.database.empty()) json["database"] = config.database;
  if (comparison.families > 1) json["column_families"] = comparison.families;
  if (config.rounds > 1) json["rounds"] = config.rounds;
  if (config.caches_filters()) {
    const read_model::Cache& cache = first.setup.cache;
    json["memory"] = config.memory;
    json["layout"] = cache.partitioned ? "partitioned" : "whole";
    json["shards"] = cache.shards;
  }
  return json;
}

// What was measured, in words.
Json FactsInWords(const Json& machine, const Json& workload) {
  return {
      {"database",
       Fill("copies of '{/database}', |generated, ", workload) +
           Fill("{/column_families} column families, |", workload) +
           Fill("{/rows:,} rows, {/files:,} files, {/sorted_runs} sorted runs",
                workload)},
      {"machine",
       Fill("{/cores} cores, RocksDB {/rocksdb_version}, ", machine) +
           (workload["direct_io"] == true
                ? "direct I/O"
                : "no direct I/O: times say little of the disk")},
      {"lookups",
       Fill("{/lookups:,} in {/rounds:,} rounds, |{/lookups:,}, ", workload) +
           Fill("{/hit_ratio:%} % hits, seed {/seed}", workload)},
      {"cache",
       Fill("{/memory} for {/layout} filters and indexes, and data|data alone; "
            "filters and indexes in memory",
            workload)}};
}

// Medians over the rounds. That of an even number of rounds is the mean of the
// middle two.
Json LatencyAsJson(const std::vector<LookupTimes>& rounds) {
  Json json;
  for (const auto& [name, number] :
       {std::pair("mean", &LookupTimes::mean), {"p99", &LookupTimes::p99}}) {
    std::vector<double> values;
    for (const LookupTimes& round : rounds) values.push_back(round.*number);
    std::ranges::sort(values);
    const size_t half = values.size() / 2;
    json[name] = (values[(values.size() - 1) / 2] + values[half]) / 2;
  }
  return json;
}

Json ResultAsJson(const Result& result) {
  const CopiedFiles& files = result.files;
  const Measurement& m = result.measured;
  const double n = m.lookups;
  const uint64_t all = m.all_block_reads();
  const Interval reads = PoissonInterval(all);
  return {
      {"policy", result.policy},
      {"label", Label(result.policy, result.copy)},
      {"cache_bytes", result.setup.cache.capacity},
      {"cache_mb", result.setup.cache.capacity / 1e6},
      {"filter_bytes", files.filter_bytes},
      {"index_bytes", files.index_bytes},
      {"bits_per_key", files.filter_bytes == 0
                           ? Json()
                           : Json(8.0 * files.filter_bytes / files.entries)},
      {"chosen_bits",
       result.chosen ? Json(result.chosen->average_bits) : Json()},
      {"lookups", m.lookups},
      {"found", m.found},
      {"filter_block_reads", m.filter_block_reads},
      {"index_block_reads", m.index_block_reads},
      {"data_block_reads", m.data_block_reads},
      {"block_read_bytes", m.block_bytes},
      {"reads_per_lookup", all / n},
      {"reads_per_lookup_low", reads.low / n},
      {"reads_per_lookup_high", reads.high / n},
      {"filter_negatives", m.answers.negatives},
      {"filter_false_positives", m.answers.false_positives()},
      {"filter_true_positives", m.answers.true_positives},
      {"false_positive_rate", OrNull(m.answers.false_positive_rate())},
      {"latency_us", LatencyAsJson(m.rounds)},
      {"build_seconds", result.build_seconds}};
}

// A row for each of --policies: its results, by the size of the cache.
Json Rows(const Json& results) {
  Json rows = Json::array();
  for (const Json& result : results) {
    if (rows.empty() ||
        result["cache_bytes"] <= rows.back().back()["cache_bytes"]) {
      rows.push_back(Json::array());
    }
    rows.back().push_back(result);
  }
  return rows;
}

// "linebloom:7 reads least: 70.4 per 1,000 lookups; bloomfilter:10 341." Of
// those whose 95 % intervals overlap with that of the least it says so.
std::string LeastInWords(std::vector<Json> results) {
  std::ranges::stable_sort(results, {}, [](const Json& result) {
    return result["reads_per_lookup"].get<double>();
  });
  const Json& least = results.front();
  std::vector<std::string> alike;
  std::vector<std::string> more;
  for (size_t i = 1; i < results.size(); ++i) {
    const Json& other = results[i];
    if (other["reads_per_lookup_low"] <= least["reads_per_lookup_high"]) {
      alike.push_back(other["label"]);
    } else {
      more.push_back(Fill("{/label} {/reads_per_lookup:1000}", other));
    }
  }
  std::string text =
      Fill(more.empty() ? "{/label} reads {/reads_per_lookup:1000} per "
                          "1,000 lookups"
                        : "{/label} reads least: "
                          "{/reads_per_lookup:1000} per 1,000 lookups",
           least);
  for (const auto& [list, before] :
       {std::pair(&alike, ", no difference seen from "), {&more, "; "}}) {
    if (!list->empty()) {
      absl::StrAppend(&text, before, absl::StrJoin(*list, ", "));
    }
  }
  return text + ".";
}

// A sentence for each cache.
Json ResultInWords(const Json& rows) {
  Json sentences = Json::array();
  const size_t caches = rows[0].size();
  for (size_t i = 0; i < caches; ++i) {
    std::vector<Json> results;
    for (const Json& row : rows) results.push_back(row[i]);
    const std::string at =
        caches > 1 ? Fill("At {/cache_mb:g} MB ", results[0]) : "";
    sentences.push_back(absl::StrCat(at, LeastInWords(std::move(results))));
  }
  return sentences;
}

// With several caches a column for each; otherwise more of the one.
std::string Table(const Json& rows) {
  const size_t caches = rows[0].size();
  if (caches > 1) {
    std::vector<Column> columns = {{"MB of cache", "{/0/label}"}};
    for (size_t i = 0; i < caches; ++i) {
      const std::string result = absl::StrCat("{/", i);
      columns.push_back({Fill(result + "/cache_mb:g}", rows[0]),
                         result + "/reads_per_lookup:1000}"});
    }
    return absl::StrCat("Blocks read per 1,000 lookups\n",
                        TextTable(columns, rows));
  }
  return TextTable({{"Reads per 1,000", "{/0/label}"},
                    {"reads", "{/0/reads_per_lookup:1000}"},
                    {"95 % interval",
                     "{/0/reads_per_lookup_low:1000}-"
                     "{/0/reads_per_lookup_high:1000}"},
                    {"FPR %", "{/0/false_positive_rate:%}"},
                    {"bits", "{/0/bits_per_key:.2f}"},
                    {"mean us", "{/0/latency_us/mean:3}"},
                    {"p99 us", "{/0/latency_us/p99:3}"}},
                   rows) +
         NamedText("",
                   "FPR: false positives per 100 probes for missing keys. "
                   "Times: medians of the rounds; 99 of 100 lookups take at "
                   "most p99.",
                   2);
}

}  // namespace

Json ReportAsJson(const Comparison& comparison) {
  const Json machine = {
      {"cores", std::thread::hardware_concurrency()},
      {"rocksdb_version", rocksdb::GetRocksVersionAsString()}};
  const Json workload = WorkloadAsJson(comparison);
  Json json = {{"facts", FactsInWords(machine, workload)},
               {"machine", machine},
               {"workload", workload},
               {"results", Json::array()}};
  for (const Result& result : comparison.results) {
    json["results"].push_back(ResultAsJson(result));
  }
  const Json rows = Rows(json["results"]);
  json["result"] = ResultInWords(rows);
  json["notes"] = Notes(comparison, rows);
  json["problems"] = Problems(comparison);
  return json;
}

std::string ReportAsText(const Json& report) {
  std::string text;
  for (const auto& [name, fact] : report["facts"].items()) {
    absl::StrAppend(&text, NamedText(name, fact.get<std::string>(), 10));
  }
  absl::StrAppend(&text, "\n", Table(Rows(report["results"])), "\n");
  if (!report["notes"].empty()) {
    absl::StrAppend(&text, BulletsText(report["notes"]), "\n");
  }
  for (const Json& sentence : report["result"]) {
    absl::StrAppend(&text, WrapText(sentence.get<std::string>(), kTextWidth, 2),
                    "\n");
  }
  return text;
}

}  // namespace linebloom::tools
