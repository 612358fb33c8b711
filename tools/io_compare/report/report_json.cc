#include "nlohmann/json.hpp"
#include "tools/io_compare/report/report.h"
#include "tools/shared/json_values.h"
#include "tools/shared/numbers.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

Json FilesPerLevel(const Shape& shape) {
  Json files = Json::array();
  for (const LevelTotals& level : shape.Levels()) files.push_back(level.files);
  return files;
}

Json EntriesPerLevel(const Shape& shape) {
  Json entries = Json::array();
  for (const LevelTotals& level : shape.Levels()) {
    entries.push_back(level.entries);
  }
  return entries;
}

Json MachineAsJson(const Machine& machine) {
  return {
      {"cpu", machine.cpu},       {"cores", machine.cores},
      {"kernel", machine.kernel}, {"rocksdb_version", machine.rocksdb_version},
      {"device", machine.device}, {"file_system", machine.file_system}};
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
    json["files_per_level"] = FilesPerLevel(shape);
    json["rows_per_level"] = EntriesPerLevel(shape);
  }
  return json;
}

// Levels whose filters were probed.
Json LevelsAsJson(const PolicyResult& result) {
  Json levels = Json::array();
  for (const auto& [level, answers] : result.measured.answers_by_level.levels) {
    const auto predicted = result.predicted.levels.find(level);
    levels.push_back(
        {{"level", level},
         {"filter_negatives", answers.negatives},
         {"filter_false_positives", answers.false_positives()},
         {"filter_true_positives", answers.true_positives},
         {"false_positive_rate", OrNull(answers.false_positive_rate())},
         {"predicted_false_positive_rate",
          predicted == result.predicted.levels.end()
              ? Json()
              : Json(predicted->second)}});
  }
  return levels;
}

Json RoundsAsJson(const Measurement& m) {
  Json rounds = Json::array();
  for (const RoundTimes& round : m.rounds) {
    rounds.push_back({{"mean_us", round.latency.mean},
                      {"p50_us", round.latency.p50},
                      {"p99_us", round.latency.p99},
                      {"lookups_per_second", round.lookups_per_second}});
  }
  return rounds;
}

Json ResultAsJson(const PolicyResult& result) {
  const Measurement& m = result.measured;
  const FilterAnswers& answers = m.answers;
  const Interval interval =
      WilsonInterval(answers.false_positives(), answers.probes_without_key());
  const bool has_rate = answers.false_positive_rate().has_value();
  const Interval reads = m.reads_interval();
  return {{"policy", result.name},
          {"options", result.options},
          {"filter_bytes", result.filter_bytes()},
          {"filter_bytes_per_level", result.filter_bytes_by_level},
          {"bits_per_key", result.bits_per_key()},
          {"warm_lookups", result.warm_lookups},
          {"files_per_level", FilesPerLevel(result.shape)},
          {"lookups", m.lookups},
          {"found", m.found},
          {"data_block_reads", m.data_block_reads},
          {"index_block_reads", m.index_block_reads},
          {"filter_block_reads", m.filter_block_reads},
          {"block_read_bytes", m.block_bytes},
          {"device_read_bytes", OrNull(m.device_bytes)},
          {"reads_per_lookup", m.reads_per_lookup()},
          {"reads_per_lookup_low", reads.low},
          {"reads_per_lookup_high", reads.high},
          {"filter_negatives", answers.negatives},
          {"filter_false_positives", answers.false_positives()},
          {"filter_true_positives", answers.true_positives},
          {"false_positive_rate", OrNull(answers.false_positive_rate())},
          {"false_positive_rate_low", has_rate ? Json(interval.low) : Json()},
          {"false_positive_rate_high", has_rate ? Json(interval.high) : Json()},
          {"predicted_false_positive_rate", OrNull(result.predicted.all)},
          {"levels", LevelsAsJson(result)},
          {"latency_us",
           {{"mean", m.LatencySpread(&Latency::mean).median},
            {"p50", m.LatencySpread(&Latency::p50).median},
            {"p99", m.LatencySpread(&Latency::p99).median}}},
          {"lookups_per_second", m.LookupsPerSecond().median},
          {"rounds", RoundsAsJson(m)},
          {"share_slower_than_us", m.latencies.SlowerThan()},
          {"build_seconds", result.build_seconds}};
}

}  // namespace

Json ReportAsJson(const Report& report) {
  Json json = {{"command", report.config.typed},
               {"machine", MachineAsJson(report.machine)},
               {"workload", WorkloadAsJson(report)},
               {"results", Json::array()}};
  for (const PolicyResult& result : report.results) {
    json["results"].push_back(ResultAsJson(result));
  }
  json["result"] = ResultInWords(report);
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  return json;
}

}  // namespace linebloom::tools
