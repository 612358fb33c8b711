#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/filter/filter_block.h"
#include "nlohmann/json.hpp"
#include "table/block_facts.h"
#include "table/file_facts.h"
#include "table/status.h"
#include "tools/filter_dump/inputs.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// Lines of one kind, by their number of probes or their fill.
class LineSums {
 public:
  // `index` is the class of `value` in the histogram.
  void Add(double value, int index) {
    ++lines_;
    sum_ += value;
    ++counts_[index];
  }

  uint64_t lines() const { return lines_; }

  Json Mean() const {
    return lines_ == 0 ? Json() : Json(sum_ / static_cast<double>(lines_));
  }

  // The classes with lines, each `width` wide.
  Json Histogram(double width) const {
    Json bars = Json::array();
    for (const auto& [i, lines] : counts_) {
      bars.push_back(
          {{"from", width * i}, {"to", width * (i + 1)}, {"lines", lines}});
    }
    return bars;
  }

  // For example "7 lines of bits, on average 41.2 % of them set", of `format`.
  std::string InWords(absl::string_view format) const {
    return lines_ == 0 ? ""
                       : Fill(format, {{"lines", lines_},
                                       {"s", lines_ == 1 ? "" : "s"},
                                       {"mean", Mean()}});
  }

 private:
  uint64_t lines_ = 0;
  double sum_ = 0;
  std::map<int, uint64_t> counts_;
};

// Collects lines, file by file.
class LineCollector {
 public:
  explicit LineCollector(uint64_t max_worst) : max_worst_(max_worst) {}

  absl::Status AddFile(const LiveFile& file) {
    ASSIGN_OR_RETURN(const SstFile opened, SstFile::Open(file.path));
    std::vector<Block> blocks;  // all, so that half a file counts for nothing
    for (const BlockHandle& handle : opened.filter().blocks) {
      ASSIGN_OR_RETURN(blocks.emplace_back(), opened.ReadFilterBlock(handle));
    }
    const bool partitioned = opened.filter().kind == FilterKind::kPartitioned;
    const size_t lines_before = rates_.size();
    Json place = FileAsJson(file);
    for (size_t i = 0; i < blocks.size(); ++i) {
      place["partition"] = partitioned ? Json(i) : Json();
      AddBlock(place, blocks[i].payload);
    }
    ++(rates_.size() > lines_before ? files_ : files_without_);
    return absl::OkStatus();
  }

  Json Finish() {
    Json worst = Json::array();
    for (const auto& [rate, line] : worst_) worst.push_back(line);
    return {{"files", files_},
            {"files_without_lines", files_without_},
            {"lines", rates_.size()},
            {"solved_lines", solved_.lines()},
            {"probes", solved_.Mean()},
            {"fill", of_bits_.Mean()},
            {"false_positive_rate",
             rate_sum_ / std::max(1.0, static_cast<double>(rates_.size()))},
            {"false_positive_rate_is_exact", rate_is_exact_},
            {"lines_by_probes", solved_.Histogram(kProbesOfClass)},
            {"lines_by_fill", of_bits_.Histogram(kPercentOfClass)},
            {"solved_in_words",
             solved_.InWords("{/lines:,} solved line{/s}, on average "
                             "{/mean:.1f} probes per key")},
            {"bits_in_words",
             of_bits_.InWords("{/lines:,} line{/s} of bits, on average "
                              "{/mean:.1%} % of them set")},
            {"share_of_worst_tenth", ShareOfWorstTenth()},
            {"worst", worst}};
  }

 private:
  static constexpr double kProbesOfClass = 0.5;
  static constexpr int kPercentOfClass = 2;

  void AddBlock(const Json& place, absl::string_view block) {
    const ParsedFilter parsed = ParseFilter(block.data(), block.size());
    const bool is_exact = parsed.kind == BlockKind::kLinebloom;
    const bool is_solved =
        is_exact && parsed.info.request.line == Line::kSolved;
    (void)ForEachLine(
        block, parsed, [&](uint64_t number, const LineContents& line) {
          rate_is_exact_ &= is_exact;
          rates_.push_back(static_cast<float>(line.rate));
          rate_sum_ += line.rate;
          if (is_solved) {
            solved_.Add(line.probes,
                        static_cast<int>(line.probes / kProbesOfClass));
          } else {
            // Integers, because 29 * 1.0 / 100 * 100 is less than 29.
            const int percent = 100 * line.bits_set / line.bits;
            of_bits_.Add(line.fill(), std::min(percent, 99) / kPercentOfClass);
          }
          KeepIfBad(place, number, line, is_solved);
        });
  }

  void KeepIfBad(const Json& place, uint64_t number, const LineContents& line,
                 bool is_solved) {
    if (worst_.size() == max_worst_ &&
        (worst_.empty() || line.rate <= worst_.rbegin()->first)) {
      return;
    }
    Json json = place;
    json.update({{"line", number},
                 {"solved", is_solved},
                 {"probes", line.probes},
                 {"bits_set", is_solved ? Json() : Json(line.bits_set)},
                 {"bits", is_solved ? Json() : Json(line.bits)},
                 {"false_positive_rate", line.rate}});
    worst_.emplace(line.rate, json);
    if (worst_.size() > max_worst_) worst_.erase(std::prev(worst_.end()));
  }

  // The share of the rate that the tenth of the lines with the highest rates
  // makes.
  double ShareOfWorstTenth() {
    const auto tenth =
        rates_.begin() + static_cast<std::ptrdiff_t>(rates_.size() / 10);
    std::ranges::nth_element(rates_, tenth, std::greater<>());
    return rate_sum_ > 0
               ? std::accumulate(rates_.begin(), tenth, 0.0) / rate_sum_
               : 0;
  }

  const uint64_t max_worst_;
  uint64_t files_ = 0;  // files with lines
  uint64_t files_without_ = 0;
  LineSums solved_;   // by probes per key
  LineSums of_bits_;  // by fill
  bool rate_is_exact_ = true;
  std::multimap<double, Json, std::greater<>> worst_;  // by rate
  // The rate of every line. Single precision is enough for the worst tenth and
  // halves the memory.
  std::vector<float> rates_;
  double rate_sum_ = 0;
};

bool HasSolved(const Json& report) { return report["solved_lines"] > 0; }
bool HasOfBits(const Json& report) {
  return report["solved_lines"] < report["lines"];
}

std::string Header(const Json& report) {
  const char* lines = HasSolved(report) && HasOfBits(report)
                          ? "{/lines:,} lines"
                      : HasSolved(report) ? "{/solved_in_words},"
                                          : "{/bits_in_words},";
  return absl::StrCat(Fill(lines, report),
                      Fill(report["files"] == 1 ? " in 1 file; FPR "
                                                : " in {/files:,} files; FPR ",
                           report),
                      Fill("{/false_positive_rate_is_exact:~}"
                           "{/false_positive_rate:rate} %\n",
                           report));
}

std::string Histogram(const std::string& name, const char* range,
                      const Json& bars) {
  // The longest bar for which lines are at most kTextWidth wide.
  constexpr double kBarWidth = 60;
  double max = 0;
  for (const Json& bar : bars) max = std::max(max, bar["lines"].get<double>());
  std::string text = absl::StrFormat("%-14s%12s\n", name, "lines");
  for (const Json& bar : bars) {
    const double length = kBarWidth * bar["lines"].get<double>() / max;
    // Anything above 0 is visible.
    const auto columns = static_cast<size_t>(std::max(1.0, std::round(length)));
    absl::StrAppendFormat(&text, "%-14s%12s  %s\n", Fill(range, bar),
                          Fill("{/lines:,}", bar), std::string(columns, '#'));
  }
  return absl::StrCat(text, "\n");
}

std::string Histograms(const Json& report) {
  std::string text;
  const bool both = HasSolved(report) && HasOfBits(report);
  if (HasSolved(report)) {
    if (both) absl::StrAppend(&text, Fill("{/solved_in_words}\n", report));
    absl::StrAppend(&text,
                    Histogram("Probes per key", "{/from:4.1f} to {/to:4.1f}",
                              report["lines_by_probes"]));
  }
  if (HasOfBits(report)) {
    if (both) absl::StrAppend(&text, Fill("{/bits_in_words}\n", report));
    absl::StrAppend(&text,
                    Histogram("Bits set, %", "{/from:4.0f} to {/to:4.0f}",
                              report["lines_by_fill"]));
  }
  return text;
}

std::string WorstTable(const Json& report) {
  const double mean = report["false_positive_rate"];
  Json rows = report["worst"];
  for (Json& row : rows) {
    const double rate = row["false_positive_rate"];
    row["label"] = FileLabel(row);
    row["k"] = ProbesText(row["probes"], row["solved"]);
    row["is_exact"] = report["false_positive_rate_is_exact"];
    if (mean > 0) row["times"] = rate / mean;
    // The bits set say nothing about a solved line.
    if (row["solved"] == false) {
      row["fill"] =
          100 * row["bits_set"].get<double>() / row["bits"].get<double>();
    }
  }
  std::vector<Column> columns = {{"Worst lines", "{/label}"}};
  if (std::ranges::any_of(
          rows, [](const Json& row) { return !row["partition"].is_null(); })) {
    columns.push_back({"partition", "{/partition:,}"});
  }
  columns.insert(columns.end(), {{"line", "{/line:,}"}, {"k", "{/k}"}});
  if (HasOfBits(report)) {
    columns.insert(columns.end(), {{"bits set", "{/bits_set}"},
                                   {"of", "{/bits}"},
                                   {"fill %", "{/fill:.1f}"}});
  }
  columns.insert(columns.end(),
                 {{"FPR %", "{/is_exact:~}{/false_positive_rate:rate}"},
                  {"times the mean", "{/times:3}"}});
  return TextTable(columns, rows);
}

std::string Notes(const Json& report) {
  Json notes = Json::array();
  if (HasSolved(report)) {
    notes.push_back(
        "k of a solved line: probes per key. The keys of a line share up to "
        "504 probes, so few probes mean many keys; k probes let about 2^-k of "
        "the missing keys pass.");
  }
  if (HasSolved(report) && report["lines_by_probes"][0]["from"] == 0) {
    notes.push_back(
        "A solved line without probes matches everything: it has too many "
        "keys, or was damaged.");
  }
  if (HasOfBits(report)) {
    notes.push_back(
        "Lines of bits, plain ones and those of RocksDB's Bloom filters, don't "
        "record how many keys they have.");
  }
  if (report["files_without_lines"] > 0) {
    notes.push_back(Fill(
        report["files_without_lines"] == 1
            ? "1 file was left out: it has no filter, or one without lines."
            : "{/files_without_lines:,} files were left out: they have no "
              "filter, or one without lines.",
        report));
  }
  return BulletsText(notes) + BulletsText(report["notes"]);
}

std::string LinesAsText(const Json& report) {
  if (report["lines"] == 0) return "";  // stderr says why
  return absl::StrCat(
      Header(report), "\n", Histograms(report),
      Fill(
          "The worst tenth of the lines makes {/share_of_worst_tenth:.1%} % of "
          "the FPR.\n\n",
          report),
      report["worst"].empty() ? "" : WorstTable(report) + "\n", Notes(report));
}

}  // namespace

absl::StatusOr<Outcome> RunLines(const FilterDumpConfig& config) {
  ASSIGN_OR_RETURN(const std::vector<LiveFile> files, ListInputs(config));
  Failures failures(config);
  LineCollector collector(config.worst);
  RETURN_IF_ERROR(ForEachFile(files, &failures, [&](const LiveFile& file) {
    return collector.AddFile(file);
  }));
  Json json = NewReport(config);
  json.update(collector.Finish());
  failures.AddTo(&json);
  if (json["lines"] == 0 && json["problems"].empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no filter in ", config.db.empty() ? "these files" : config.db,
        " has lines: only linebloom's and RocksDB's Bloom filters "
        "have them"));
  }
  const std::string text = LinesAsText(json);
  RETURN_IF_ERROR(WritePage(config.html, json, text));
  return Outcome{text, json, failures.exit_code()};
}

}  // namespace linebloom::tools
