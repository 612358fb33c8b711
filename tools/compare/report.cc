#include "tools/compare/report.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/shared/intervals.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {

namespace {

void CheckShapes(const Shape& expected, Report* report) {
  const PolicyResult& first = report->results.front();
  for (const PolicyResult& result : report->results) {
    const std::string difference = DescribeDifference(
        first.shape, first.policy.name, result.shape, result.policy.name);
    if (!difference.empty()) {
      report->problems.push_back(absl::StrCat(
          "the databases differ in more than their filters: ", difference));
    }
  }
  if (expected.files.empty()) return;
  const std::string difference =
      DescribeDifference(expected, "--source_db", first.shape, "the copy");
  if (!difference.empty()) {
    report->notes.push_back(absl::StrCat(
        "The copies are alike, but not quite as --source_db: ", difference,
        "."));
  }
}

void CheckFound(Report* report) {
  const PolicyResult& first = report->results.front();
  for (const PolicyResult& result : report->results) {
    if (result.measured.found != first.measured.found) {
      report->problems.push_back(
          absl::StrCat(result.policy.name, " found ", result.measured.found,
                       " keys and ", first.policy.name, " ",
                       first.measured.found, ": one of them lost rows"));
    }
  }
  const uint64_t found = first.measured.found;
  const uint64_t asked = report->workload["lookups_of_existing_rows"];
  if (found > asked) {
    report->notes.push_back(absl::StrCat(
        WithThousands(found - asked),
        " of the keys looked up as missing exist. They count as found, not as "
        "false positives."));
  } else if (found < asked && report->workload["rows_from"] != "source_db") {
    // (Some rows of a database may be only in its write-ahead log.)
    report->problems.push_back(absl::StrCat(first.policy.name, " found ", found,
                                            " of ", asked, " existing rows"));
  }
}

void NoteIoAgreement(Report* report) {
  std::map<std::string, std::vector<std::string>> policies;
  for (const PolicyResult& result : report->results) {
    policies[result.io_agreement].push_back(result.policy.name);
  }
  for (const auto& [agreement, names] : policies) {
    if (agreement.empty()) continue;
    const bool all = names.size() == report->results.size();
    report->notes.push_back(absl::StrCat(
        "The kernel's count of bytes read from the device",
        all ? " " : absl::StrCat(", with ", absl::StrJoin(names, ", "), ", "),
        agreement, "."));
  }
}

// A policy's name in tables and pictures. Long names are cut and numbered, and
// the notes explain them.
std::string Label(const Report& report, size_t i) {
  constexpr size_t kMaxLabel = 16;
  const std::string& name = report.results[i].policy.name;
  if (name.size() <= kMaxLabel) return name;
  std::string id = name;
  if (absl::StartsWith(id, "{id=")) id = id.substr(4);
  id = id.substr(0, std::min<size_t>(id.find_first_of(":;}"), 11));
  return absl::StrCat(id, " [", i + 1, "]");
}

// Compares the medians of the rounds' lookups: reads from the disk, which are
// few in a round with a good filter, hardly affect them.
void NoteNoise(Report* report) {
  constexpr double kNoisy = 1.25;
  std::vector<std::string> noisy;
  for (size_t i = 0; i < report->results.size(); ++i) {
    const Spread p50 = report->results[i].measured.OverRounds("p50_us");
    if (p50.max > kNoisy * p50.min) {
      noisy.push_back(absl::StrCat(Label(*report, i), " (",
                                   ThreeDigits(p50.min), " to ",
                                   ThreeDigits(p50.max), " us)"));
    }
  }
  if (noisy.empty()) return;
  report->notes.push_back(absl::StrCat(
      "Warning: a noisy machine. The p50 differs between rounds by more than a "
      "quarter with ",
      absl::StrJoin(noisy, ", "),
      ". Counts of reads are as good as ever; for times run it again on a "
      "quiet machine, or with more --lookups and --rounds."));
}

// The sum of `number` over the files of each level, down to the deepest.
std::vector<uint64_t> SumPerLevel(const Shape& shape,
                                  uint64_t (*number)(const FileShape&)) {
  std::vector<uint64_t> sums;
  for (const FileShape& file : shape.files) {
    const auto level = static_cast<size_t>(file.level);
    if (level >= sums.size()) sums.resize(level + 1);
    sums[level] += number(file);
  }
  return sums;
}

std::vector<uint64_t> FilesPerLevel(const Shape& shape) {
  return SumPerLevel(shape, [](const FileShape&) { return uint64_t{1}; });
}

Json WorkloadAsJson(const Report& report) {
  Json json = report.workload;
  const Shape& shape = report.results.front().shape;
  const std::vector<uint64_t> files = FilesPerLevel(shape);
  // What a lookup of a missing key has to go through.
  uint64_t sorted_runs = 0;
  for (size_t level = 0; level < files.size(); ++level) {
    sorted_runs += level == 0 ? files[0] : std::min<uint64_t>(files[level], 1);
  }
  json["sorted_runs"] = sorted_runs;
  json["files_per_level"] = files;
  json["rows_per_level"] =
      SumPerLevel(shape, [](const FileShape& file) { return file.entries; });
  return json;
}

std::string RowsInWords(const Json& workload) {
  const Json& from = workload["rows_from"];
  if (from == "source_db") {
    return Fill("{/rows:,} entries of '{/path}'", workload);
  }
  return Fill(from == "key_file" ? "{/rows:,}, from '{/path}'"
                                 : "{/rows:,}, generated",
              workload) +
         Fill(": keys of {/key_bytes:3} bytes, values of {/value_size} bytes",
              workload);
}

// "L0 3, L1 1, L3 29", where `list` counts something for each level.
std::string PerLevel(const Json& workload, const std::string& list) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < workload[list].size(); ++i) {
    if (workload["files_per_level"][i] == 0) continue;
    parts.push_back(absl::StrCat(
        "L", i, " ", WithThousands(workload[list][i].get<uint64_t>())));
  }
  return absl::StrJoin(parts, ", ");
}

std::string LookupsInWords(const Json& workload) {
  std::vector<std::string> parts;
  if (workload["lookups_of_missing_keys"] > 0) {
    parts.push_back(
        Fill(workload["skew"].get<std::string>().empty()
                 ? "{/lookups_of_missing_keys:,} missing keys ({/missing_keys})"
                 : "{/lookups_of_missing_keys:,} missing keys "
                   "({/missing_keys}): {/skew_in_words}",
             workload));
  }
  if (workload["lookups_of_existing_rows"] > 0) {
    parts.push_back(
        Fill("{/lookups_of_existing_rows:,} existing rows", workload));
  }
  return absl::StrCat(
      absl::StrJoin(parts, " and "),
      Fill(workload["rounds"] == 1
               ? "; one policy after the other"
               : "; in {/rounds} rounds, each with all policies in turn",
           workload),
      Fill(workload["threads"] == 1 ? "; {/threads} thread, seed {/seed}"
                                    : "; {/threads} threads, seed {/seed}",
           workload));
}

// What was measured, in words.
Json SettingsAsJson(const Json& workload, const Report& report) {
  const Json& machine = report.machine;
  return {
      {"machine",
       Fill(machine["cores"] == 1
                ? "{/cpu}, {/cores} core, {/kernel}; RocksDB {/rocksdb_version}"
                : "{/cpu}, {/cores} cores, {/kernel}; RocksDB "
                  "{/rocksdb_version}",
            machine)},
      {"folder",
       absl::StrCat(Fill("{/folder}", workload),
                    machine["device"] == "unknown"
                        ? ", "
                        : Fill(" on {/device} ({/file_system}), ", machine),
                    workload["direct_io"] == true
                        ? "direct I/O"
                        : "no direct I/O: reads may come out of "
                          "memory, and times say little of the disk")},
      {"rows", absl::StrCat(RowsInWords(workload), "\n",
                            PerLevel(workload, "rows_per_level"))},
      {"files",
       absl::StrCat(PerLevel(workload, "files_per_level"),
                    Fill(": {/sorted_runs} sorted runs, ", workload),
                    report.problems.empty() ? "the same" : "not the same",
                    " for every policy")},
      {"lookups", LookupsInWords(workload)},
      {"memory",
       Fill("filters and index blocks stay in memory; block cache of "
            "{/block_cache_bytes:,} bytes, data blocks of {/block_size:,} "
            "bytes",
            workload)}};
}

// Compares reads; for example "209x fewer" than `base`.
std::string Fewer(double reads, double base) {
  if (reads == base) return "no fewer";
  if (reads == 0) return "far fewer";
  if (base == 0) return "far more";
  return reads < base ? absl::StrCat(ThreeDigits(base / reads), "x fewer")
                      : absl::StrCat(ThreeDigits(reads / base), "x more");
}

// Compares the reads of linebloom (or of the policy with the fewest) with those
// of each other policy. "" for a single policy.
std::string ResultInWords(const Json& results) {
  if (results.size() < 2) return "";
  auto focus = std::ranges::find_if(results, [](const Json& result) {
    return result["policy"] == kLinebloom;
  });
  if (focus == results.end()) {
    focus = std::ranges::min_element(results, {}, [](const Json& result) {
      return result["data_block_reads"].get<uint64_t>();
    });
  }
  std::vector<std::string> comparisons;
  for (const Json& other : results) {
    if (&other == &*focus) continue;
    comparisons.push_back(absl::StrCat(
        Fewer((*focus)["data_block_reads"], other["data_block_reads"]),
        comparisons.empty() ? " reads than " : " than ",
        other["policy"] == kNoPolicy ? "no filter" : Fill("{/label}", other)));
  }
  return absl::StrCat(Fill("{/label}: ", *focus),
                      absl::StrJoin(comparisons, ", "), ".");
}

Json AnswersAsJson(const FilterStats& answers,
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
  for (const auto& [level, answers] : result.measured.stats_by_level.levels) {
    levels.push_back({{"level", level}});
    levels.back().update(
        AnswersAsJson(answers, result.levels.at(level).rate()));
  }
  return levels;
}

// The median of the rounds, and their extremes.
Json LatencyAsJson(const Measurement& m) {
  Json json;
  for (const std::string name : {"mean", "p50", "p99"}) {
    const Spread spread = m.OverRounds(name + "_us");
    json[name] = spread.median;
    json[name + "_min"] = spread.min;
    json[name + "_max"] = spread.max;
  }
  return json;
}

Json ResultAsJson(const Report& report, size_t i) {
  const PolicyResult& result = report.results[i];
  const Measurement& m = result.measured;
  const Interval reads = m.reads_interval();
  Json json = {
      {"policy", result.policy.name},
      {"label", Label(report, i)},
      {"options", result.policy.options},
      {"filter_bytes", result.all_levels.bytes},
      {"filter_bytes_per_level", Json::array()},
      {"bits_per_key",
       result.all_levels.bytes > 0 ? Json(result.bits_per_key()) : Json()},
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
      {"reads_per_lookup_high", reads.high}};
  for (const LevelFilters& level : result.levels) {
    json["filter_bytes_per_level"].push_back(level.bytes);
  }
  json.update(AnswersAsJson(m.answers, result.all_levels.rate()));
  json.update(
      {{"levels", LevelsAsJson(result)},
       {"latency_us", LatencyAsJson(m)},
       {"lookups_per_second", m.OverRounds("lookups_per_second").median},
       {"rounds", m.rounds},
       {"share_slower_than_us", m.SlowerThan()},
       {"build_seconds", result.build_seconds}});
  return json;
}

std::string Facts(const Json& facts) {
  std::string text;
  for (const auto& [name, fact] : facts.items()) {
    absl::StrAppend(&text, NamedText(name, fact.get<std::string>(), 10));
  }
  return text;
}

std::string Notes(const Json& report) {
  std::string text;
  for (const Json& result : report["results"]) {
    if (result["label"] == result["policy"]) continue;
    absl::StrAppend(&text, Fill("{/label} is {/policy}\n", result));
  }
  return text + BulletsText(report["notes"]);
}

// Explains the columns of a table, below it.
std::string Explained(absl::string_view text) { return NamedText("", text, 2); }

std::string ReadsTable(const Json& results) {
  std::vector<Column> columns = {
      {"Reads from disk", "{/label}"},
      {"per lookup", "{/reads_per_lookup:3}"},
      {"95 % interval",
       "{/reads_per_lookup_low:3}-{/reads_per_lookup_high:3}"}};
  std::string explained = "per lookup: data blocks, on average.";
  Json rows = results;
  const auto compare_with = [&](const std::string& policy,
                                const std::string& heading,
                                absl::string_view than) {
    const auto base = std::ranges::find_if(results, [&](const Json& result) {
      return result["policy"] == policy;
    });
    if (base == results.end()) return;
    columns.push_back({heading, absl::StrCat("{/", heading, "}")});
    absl::StrAppend(&explained, " ", heading, ": than ", than, ".");
    for (size_t i = 0; i < rows.size(); ++i) {
      if (&results[i] == &*base) continue;
      rows[i][heading] =
          Fewer(results[i]["reads_per_lookup"], (*base)["reads_per_lookup"]);
    }
  };
  compare_with(kNoPolicy, "against none", "without a filter");
  compare_with(kRocksDbBloom, "against Bloom",
               absl::StrCat("with ", kRocksDbBloom));
  return absl::StrCat(TextTable(columns, rows), Explained(explained));
}

std::string FiltersTable(const Json& results) {
  return absl::StrCat(
      TextTable({{"Filters", "{/label}"},
                 {"MB", "{/filter_bytes:MB}"},
                 {"bits/key", "{/bits_per_key:.2f}"},
                 {"FPR %", "{/false_positive_rate:%}"},
                 {"95 % interval",
                  "{/false_positive_rate_low:%}-"
                  "{/false_positive_rate_high:%}"},
                 {"predicted %", "{/predicted_false_positive_rate:%}"},
                 {"build s", "{/build_seconds:3}"}},
                results),
      Explained(
          "MB: of all filters. FPR: of 100 times that a filter was "
          "asked for a key that its file lacks, how often it let the lookup "
          "through. predicted: from the filters' own bits. build: writing the "
          "database, once."));
}

std::string TimesTable(const Json& results) {
  std::vector<Column> columns = {{"Lookup, us", "{/label}"}};
  for (const std::string time : {"mean", "p50", "p99"}) {
    const std::string pointer = "/latency_us/" + time;
    columns.push_back({time + " (of rounds)",
                       absl::StrCat("{", pointer, ":3} ({", pointer,
                                    "_min:3}-{", pointer, "_max:3})")});
  }
  const size_t rounds = results[0]["rounds"].size();
  return absl::StrCat(
      TextTable(columns, results),
      Explained(absl::StrCat(
          "p50, p99: 50 and 99 of 100 lookups took no longer. Each is the "
          "median of ",
          rounds, rounds == 1 ? " round" : " rounds",
          ", with the least and the most of them.")));
}

}  // namespace

double PolicyResult::bits_per_key() const {
  uint64_t entries = 0;
  for (const FileShape& file : shape.files) entries += file.entries;
  return entries == 0 ? 0 : 8.0 * all_levels.bytes / entries;
}

void AddFindings(const Shape& expected, Report* report) {
  CheckShapes(expected, report);
  CheckFound(report);
  NoteIoAgreement(report);
  NoteNoise(report);
}

Json ReportAsJson(const Report& report) {
  const Json workload = WorkloadAsJson(report);
  Json json = {{"facts", SettingsAsJson(workload, report)},
               {"machine", report.machine},
               {"workload", workload},
               {"results", Json::array()}};
  for (size_t i = 0; i < report.results.size(); ++i) {
    json["results"].push_back(ResultAsJson(report, i));
  }
  json["result"] = ResultInWords(json["results"]);
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  return json;
}

std::string ReportAsText(const Json& report) {
  const Json& results = report["results"];
  std::vector<std::string> parts = {
      Facts(report["facts"]),
      ReadsTable(results),
      FiltersTable(results),
      TimesTable(results),
      Notes(report),
      WrapText(report["result"].get<std::string>(), kTextWidth, 0)};
  if (!parts.back().empty()) parts.back() += "\n";
  std::erase(parts, "");
  return absl::StrJoin(parts, "\n");
}

}  // namespace linebloom::tools
