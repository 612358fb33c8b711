#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/line/line.h"
#include "filter_policy/sizing/expected_rate.h"
#include "nlohmann/json.hpp"
#include "tools/io_compare/report/report.h"
#include "tools/shared/numbers.h"
#include "tools/shared/policies.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

Json ListPerLevel(const Shape& shape, uint64_t LevelShape::*number) {
  Json list = Json::array();
  for (const LevelShape& level : shape.Levels()) list.push_back(level.*number);
  return list;
}

Json WorkloadAsJson(const Report& report) {
  const WorkloadFacts& facts = report.workload;
  const IoCompareConfig& config = report.config;
  Json json = {{"rows_from", facts.source},     {"path", facts.source_path},
               {"missing_keys", facts.missing}, {"skew", config.skew},
               {"skew_in_words", facts.skew},   {"rows", facts.entries},
               {"key_bytes", facts.key_bytes}};
  if (facts.source != "source_db") json["value_size"] = config.value_size;
  json.update({{"lookups", facts.asked_existing + facts.asked_missing},
               {"lookups_of_existing_rows", facts.asked_existing},
               {"hit_ratio", config.hit_ratio},
               {"rounds", config.rounds},
               {"threads", config.threads},
               {"bits_per_key", config.bits_per_key},
               {"seed", config.seed},
               {"block_size", facts.block_bytes},
               {"block_cache_bytes", config.block_cache_size},
               {"direct_io", facts.direct_io},
               {"folder", facts.folder}});
  if (!report.results.empty()) {
    const Shape& shape = report.results.front().shape;
    json["sorted_runs"] = shape.SortedRuns();
    json["files_per_level"] = ListPerLevel(shape, &LevelShape::files);
    json["rows_per_level"] = ListPerLevel(shape, &LevelShape::entries);
  }
  return json;
}

std::string RowsInWords(const Report& report) {
  const WorkloadFacts& facts = report.workload;
  const std::string count = WithThousands(facts.entries);
  if (facts.source == "source_db") {
    return absl::StrCat(count, " entries of '", facts.source_path, "'");
  }
  const std::string from = facts.source == "key_file"
                               ? absl::StrCat("from '", facts.source_path, "'")
                               : "generated";
  return absl::StrFormat("%s, %s: keys of %s bytes, values of %d bytes", count,
                         from, ThreeDigits(facts.key_bytes),
                         report.config.value_size);
}

// "L0 3, L1 1, L3 29", where `number` selects what to count.
std::string PerLevel(const Shape& shape, uint64_t LevelShape::*number) {
  const std::vector<LevelShape> levels = shape.Levels();
  std::vector<std::string> parts;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].files == 0) continue;
    parts.push_back(
        absl::StrCat("L", i, " ", WithThousands(levels[i].*number)));
  }
  return absl::StrJoin(parts, ", ");
}

std::string LookupsInWords(const Report& report) {
  const WorkloadFacts& facts = report.workload;
  std::vector<std::string> parts;
  if (facts.asked_missing > 0) {
    parts.push_back(absl::StrCat(WithThousands(facts.asked_missing),
                                 " missing keys (", facts.missing, ")",
                                 facts.skew.empty() ? "" : ": ", facts.skew));
  }
  if (facts.asked_existing > 0) {
    parts.push_back(
        absl::StrCat(WithThousands(facts.asked_existing), " existing rows"));
  }
  const uint32_t threads = report.config.threads;
  const uint32_t rounds = report.config.rounds;
  return absl::StrCat(
      absl::StrJoin(parts, " and "), "; ",
      rounds == 1 ? "one policy after the other"
                  : absl::StrCat("in ", rounds,
                                 " rounds, each with all policies in turn"),
      "; ", threads, threads == 1 ? " thread" : " threads", ", seed ",
      report.config.seed);
}

// What was measured, in words.
Json FactsAsJson(const Report& report) {
  const Json& machine = report.machine;
  const WorkloadFacts& facts = report.workload;
  const Shape& shape = report.results.front().shape;
  return {
      {"machine",
       Fill(machine["cores"] == 1
                ? "{/cpu}, {/cores} core, {/kernel}; RocksDB {/rocksdb_version}"
                : "{/cpu}, {/cores} cores, {/kernel}; RocksDB "
                  "{/rocksdb_version}",
            machine)},
      {"folder", absl::StrCat(facts.folder,
                              Fill(" on {/device} ({/file_system}), ", machine),
                              facts.direct_io
                                  ? "direct I/O"
                                  : "no direct I/O: pages are dropped from the "
                                    "page cache instead")},
      {"rows", absl::StrCat(RowsInWords(report), "\n",
                            PerLevel(shape, &LevelShape::entries))},
      {"files",
       absl::StrCat(PerLevel(shape, &LevelShape::files), ": ",
                    shape.SortedRuns(), " sorted runs, ",
                    report.problems.empty() ? "the same" : "not the same",
                    " for every policy")},
      {"lookups", LookupsInWords(report)},
      {"memory",
       absl::StrCat("filters and index blocks stay in memory; block cache of ",
                    WithThousands(report.config.block_cache_size),
                    " bytes, data blocks of ", WithThousands(facts.block_bytes),
                    " bytes")}};
}

Json AnswersAsJson(const FilterAnswers& answers,
                   const std::optional<double>& predicted) {
  const Interval interval =
      WilsonInterval(answers.false_positives(), answers.probes_without_key());
  const bool has_rate = answers.false_positive_rate().has_value();
  return {{"filter_negatives", answers.negatives},
          {"filter_false_positives", answers.false_positives()},
          {"filter_true_positives", answers.true_positives},
          {"false_positive_rate", OrNull(answers.false_positive_rate())},
          {"false_positive_rate_low", has_rate ? Json(interval.low) : Json()},
          {"false_positive_rate_high", has_rate ? Json(interval.high) : Json()},
          {"predicted_false_positive_rate", OrNull(predicted)}};
}

// Levels whose filters were probed.
Json LevelsAsJson(const PolicyResult& result) {
  Json levels = Json::array();
  for (const auto& [level, answers] : result.measured.answers_by_level.levels) {
    std::optional<double> predicted;
    const auto found = result.predicted.levels.find(level);
    if (found != result.predicted.levels.end()) predicted = found->second;
    levels.push_back({{"level", level}});
    levels.back().update(AnswersAsJson(answers, predicted));
  }
  return levels;
}

Json RoundsAsJson(const Measurement& m) {
  Json rounds = Json::array();
  for (const RoundTimes& round : m.rounds) {
    rounds.push_back({{"mean_us", round.mean},
                      {"p50_us", round.p50},
                      {"p99_us", round.p99},
                      {"lookups_per_second", round.lookups_per_second}});
  }
  return rounds;
}

// False-positive rates by bits per key that results can be compared with:
// linebloom's as it is planned, Ribbon's as RocksDB builds it.
Json RateCurvesAsJson(const Report& report) {
  double most_bits = 15;
  for (const PolicyResult& result : report.results) {
    most_bits = std::max(most_bits, std::ceil(result.bits_per_key()) + 2);
  }
  Json linebloom = Json::array();
  // Smaller solved lines have no room for two probes of each key.
  for (double bits = 2.5; bits <= most_bits; bits += 0.5) {
    const auto millibits =
        static_cast<uint32_t>(std::lround(bits * kMillibitsPerBit));
    linebloom.push_back({bits, ExpectedRate(Line::kSolved, millibits,
                                            8.0 * kLineBytes / bits)});
  }
  Json ribbon = Json::array();
  // A Ribbon filter requested as b Bloom bits per key takes about 0.7 b.
  for (double asked = 2 / 0.7; asked < most_bits / 0.7; asked += 1.5) {
    const std::string block = BuildRibbonBlock(asked, kMaxRibbonKeys);
    const std::optional<double> rate =
        BuiltInFilterRate(block.data(), block.size(), kMaxRibbonKeys);
    if (!rate.has_value()) continue;
    ribbon.push_back(
        {8.0 * static_cast<double>(block.size()) / kMaxRibbonKeys, *rate});
  }
  return {{{"name", "linebloom"}, {"points", linebloom}},
          {{"name", "RocksDB's Ribbon"}, {"points", ribbon}}};
}

// The median of the rounds, and their extremes.
Json LatencyAsJson(const Measurement& m) {
  Json json;
  const auto add = [&](const std::string& name, double RoundTimes::*number) {
    const Spread spread = m.OverRounds(number);
    json[name] = spread.median;
    json[name + "_least"] = spread.least;
    json[name + "_most"] = spread.most;
  };
  add("mean", &RoundTimes::mean);
  add("p50", &RoundTimes::p50);
  add("p99", &RoundTimes::p99);
  return json;
}

Json ResultAsJson(const Report& report, size_t i) {
  const PolicyResult& result = report.results[i];
  const Measurement& m = result.measured;
  const Interval reads = m.reads_interval();
  Json json = {
      {"policy", result.name},
      {"label", Label(report, i)},
      {"options", result.options},
      {"filter_bytes", result.filter_bytes()},
      {"filter_bytes_per_level", result.filter_bytes_by_level},
      {"bits_per_key",
       result.filter_bytes() > 0 ? Json(result.bits_per_key()) : Json()},
      {"warm_lookups", result.warm_lookups},
      {"files_per_level", ListPerLevel(result.shape, &LevelShape::files)},
      {"lookups", m.lookups},
      {"found", m.found},
      {"data_block_reads", m.data_block_reads},
      {"index_block_reads", m.index_block_reads},
      {"filter_block_reads", m.filter_block_reads},
      {"block_read_bytes", m.block_bytes},
      {"device_read_bytes", OrNull(m.device_bytes)},
      {"reads_per_lookup", m.reads_per_lookup()},
      {"reads_per_lookup_low", reads.low},
      {"reads_per_lookup_high", reads.high}};
  json.update(AnswersAsJson(m.answers, result.predicted.all));
  json.update({{"levels", LevelsAsJson(result)},
               {"latency_us", LatencyAsJson(m)},
               {"lookups_per_second",
                m.OverRounds(&RoundTimes::lookups_per_second).median},
               {"rounds", RoundsAsJson(m)},
               {"share_slower_than_us", m.latencies.SlowerThan()},
               {"build_seconds", result.build_seconds}});
  return json;
}

}  // namespace

Json ReportAsJson(const Report& report) {
  Json json = {{"command", report.config.typed},
               {"facts", FactsAsJson(report)},
               {"machine", report.machine},
               {"workload", WorkloadAsJson(report)},
               {"results", Json::array()}};
  for (size_t i = 0; i < report.results.size(); ++i) {
    json["results"].push_back(ResultAsJson(report, i));
  }
  json["result"] = ResultInWords(report);
  json["rate_curves"] = RateCurvesAsJson(report);
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  return json;
}

}  // namespace linebloom::tools
