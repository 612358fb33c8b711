#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rocksdb/version.h"
#include "tools/compare/comparison.h"
#include "tools/report/flags.h"
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

std::vector<std::string> Notes(const Comparison& comparison) {
  std::vector<std::string> notes = comparison.source.notes;
  const Result& first = comparison.results.front();
  if (!first.files.are_as_before) {
    notes.emplace_back(
        "The copies are alike, but their files aren't quite those of the "
        "database.");
  }
  return notes;
}

Json WorkloadAsJson(const Comparison& comparison) {
  const CompareConfig& config = comparison.config;
  const Source& source = comparison.source;
  const Result& first = comparison.results.front();
  // What a lookup of a missing key has to go through, of all column families.
  std::set<std::tuple<std::string, int, std::string>> runs;
  for (const LiveFile& file : source.facts.files) {
    runs.emplace(file.column_family, file.level,
                 file.level == 0 ? file.path : "");
  }
  Json json = {
      {"hit_ratio", source.mix.hit_ratio}, {"seed", config.seed},
      {"lookups", config.lookups},         {"rows", first.files.entries},
      {"files", first.files.shape.size()}, {"sorted_runs", runs.size()},
      {"direct_io", comparison.direct_io}};
  if (!config.database.empty()) json["database"] = config.database;
  if (source.families.size() > 1) {
    json["column_families"] = source.families.size();
  }
  if (config.rounds > 1) json["rounds"] = config.rounds;
  if (!config.memory.empty()) {
    const read_model::Cache& cache = first.setup.cache;
    json["memory"] =
        absl::StrJoin(config.memory, ",", [](std::string* text, uint64_t size) {
          absl::StrAppend(text, NumberText(size, Unit::kBytes));
        });
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

// That of an even number of values is the mean of the middle two.
double Median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return (values[(values.size() - 1) / 2] + values[half]) / 2;
}

Json ResultAsJson(const Result& result) {
  const CopiedFiles& files = result.files;
  const Measurement& m = result.measured;
  const double n = m.lookups;
  const double all = m.all_block_reads();
  // Ends of the 95 % interval of rare, independent events: Wilson's with
  // unlimited trials.
  constexpr double kZ = 1.96;  // 97.5 % quantile of the normal distribution
  const double middle = all + kZ * kZ / 2;
  const double half = kZ * std::sqrt(all + kZ * kZ / 4);
  return {
      {"policy", result.policy},
      {"label", ShortPolicyName(result.policy)},
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
      {"reads_per_lookup", all / n},
      {"reads_per_lookup_low", std::max(0.0, middle - half) / n},
      {"reads_per_lookup_high", (middle + half) / n},
      {"filter_false_positives", m.answers.false_positives},
      {"false_positive_rate", OrNull(m.answers.false_positive_rate())},
      {"latency_us", {{"mean", Median(m.mean_us)}, {"p99", Median(m.p99_us)}}}};
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
  const auto differs = [&least](const Json& other) {
    return other["reads_per_lookup_low"] > least["reads_per_lookup_high"];
  };
  std::string text =
      Fill("{/label} reads least: {/reads_per_lookup:1000} per 1,000 lookups",
           least);
  for (size_t i = 1; i < results.size(); ++i) {
    const bool more = differs(results[i]);
    const bool is_first = i == 1 || more != differs(results[i - 1]);
    absl::StrAppend(
        &text,
        !is_first ? ", "
        : more    ? "; "
                  : ", no difference seen from ",
        Fill(more ? "{/label} {/reads_per_lookup:1000}" : "{/label}",
             results[i]));
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

// A column for each cache, and below what chooses its bits, these.
std::string TableOfCaches(const Json& rows) {
  std::vector<Column> columns = {{"MB of cache", "{/label}|{/0/label}"}};
  for (size_t i = 0; i < rows[0].size(); ++i) {
    const std::string result = absl::StrCat("{/", i);
    columns.push_back(
        {Fill(result + "/cache_mb:g}", rows[0]),
         absl::StrCat("{/bits", result.substr(1), "/chosen_bits:g}|", result,
                      "/reads_per_lookup:1000}")});
  }
  Json lines = Json::array();
  for (const Json& row : rows) {
    lines.push_back(row);
    if (row[0]["chosen_bits"].is_null()) continue;
    lines.push_back(
        {{"label", Fill("bits of {/0/label}", row)}, {"bits", row}});
  }
  return absl::StrCat("Blocks read per 1,000 lookups\n",
                      TextTable(columns, lines));
}

// With several caches a column for each; otherwise more of the one.
std::string Table(const Json& rows) {
  if (rows[0].size() > 1) return TableOfCaches(rows);
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
  json["notes"] = Notes(comparison);
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
  for (const std::string sentence : report["result"]) {
    absl::StrAppend(&text,
                    NamedText(sentence.substr(0, 2), sentence.substr(2), 2));
  }
  return text;
}

}  // namespace linebloom::tools
