#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "nlohmann/json.hpp"
#include "table/status.h"
#include "tools/filter_dump/inputs.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// A line and its position.
struct FoundLine {
  LiveFile file;
  std::optional<uint64_t> partition;  // nothing for a full filter
  uint64_t number = 0;                // within its filter or partition
  bool solved = false;
  LineContents contents;

  Json AsJson() const {
    Json json = FileAsJson(file);
    json.update({{"partition", OrNull(partition)},
                 {"line", number},
                 {"solved", solved},
                 {"probes", contents.probes},
                 {"bits_set", solved ? Json() : Json(contents.bits_set)},
                 {"bits", solved ? Json() : Json(contents.bits)},
                 {"false_positive_rate", contents.rate}});
    return json;
  }
};

bool IsWorse(const FoundLine& a, const FoundLine& b) {
  return a.contents.rate > b.contents.rate;
}

// Collects lines, file by file.
class LineCollector {
 public:
  explicit LineCollector(uint64_t max_worst) : max_worst_(max_worst) {}

  absl::Status AddFile(const LiveFile& file) {
    ASSIGN_OR_RETURN(const SstFile opened, SstFile::Open(file.path));
    const FilterLocation& location = opened.filter();
    const bool partitioned = location.kind == FilterKind::kPartitioned;
    bool has_lines = false;
    for (size_t i = 0; i < location.blocks.size(); ++i) {
      ASSIGN_OR_RETURN(const Block block,
                       opened.ReadFilterBlock(location.blocks[i]));
      FoundLine place;
      place.file = file;
      if (partitioned) place.partition = i;
      has_lines |= AddBlock(std::move(place), block);
    }
    ++(has_lines ? files_ : files_without_);
    return absl::OkStatus();
  }

  Json Finish() {
    const uint64_t of_bits = rates_.size() - solved_lines_;
    const auto mean = [](double sum, uint64_t lines) {
      return lines == 0 ? 0.0 : sum / static_cast<double>(lines);
    };
    const double probes = mean(probes_sum_, solved_lines_);
    const double fill = mean(fill_sum_, of_bits);
    std::vector<uint64_t> by_probes = by_half_probes_;
    by_probes[0] = 0;
    by_probes.push_back(0);
    std::sort_heap(worst_.begin(), worst_.end(), IsWorse);
    Json worst = Json::array();
    for (const FoundLine& line : worst_) worst.push_back(line.AsJson());
    return {
        {"files", files_},
        {"files_without_lines", files_without_},
        {"lines", rates_.size()},
        {"solved_lines", solved_lines_},
        {"probes", solved_lines_ > 0 ? Json(probes) : Json()},
        {"fill", of_bits > 0 ? Json(fill) : Json()},
        {"false_positive_rate", mean(rate_sum_, rates_.size())},
        {"false_positive_rate_is_exact", rate_is_exact_},
        {"lines_by_half_probes", by_half_probes_},
        {"lines_by_percent_of_bits_set", by_fill_},
        {"lines_by_probes", HistogramBars(by_probes, {1, 2, 4}, 20, 0.5)},
        {"lines_by_fill", HistogramBars(by_fill_, {1, 2, 5}, 30, 1)},
        {"solved_in_words",
         solved_lines_ == 0
             ? ""
             : absl::StrFormat("%s solved %s, on average %.1f probes per key",
                               WithThousands(solved_lines_),
                               solved_lines_ == 1 ? "line" : "lines", probes)},
        {"bits_in_words",
         of_bits == 0
             ? ""
             : absl::StrFormat("%s %s of bits, on average %.1f %% of them set",
                               WithThousands(of_bits),
                               of_bits == 1 ? "line" : "lines", 100 * fill)},
        {"share_of_worst_tenth", ShareOfWorstTenth()},
        {"worst", worst}};
  }

 private:
  // Returns true if the block has lines.
  bool AddBlock(FoundLine place, const Block& block) {
    const ParsedFilter parsed =
        ParseFilter(block.payload.data(), block.payload.size());
    const bool readable = parsed.kind == BlockKind::kLinebloom;
    place.solved = readable && parsed.info.request.line == Line::kSolved;
    const bool has_lines =
        ForEachLine(block.payload, parsed,
                    [&](uint64_t number, const LineContents& contents) {
                      place.number = number;
                      place.contents = contents;
                      AddLine(place);
                    });
    if (has_lines && !readable) rate_is_exact_ = false;
    return has_lines;
  }

  void AddLine(const FoundLine& line) {
    const LineContents& contents = line.contents;
    rates_.push_back(static_cast<float>(contents.rate));
    rate_sum_ += contents.rate;
    if (line.solved) {
      ++solved_lines_;
      probes_sum_ += contents.probes;
      ++by_half_probes_[static_cast<size_t>(2 * contents.probes)];
    } else {
      fill_sum_ += contents.fill();
      // Integer arithmetic, because 29 * 1.0 / 100 * 100 is less than 29.
      ++by_fill_[100 * contents.bits_set / contents.bits];
    }
    KeepIfBad(line);
  }

  void KeepIfBad(const FoundLine& line) {
    if (worst_.size() == max_worst_) {
      if (worst_.empty() || !IsWorse(line, worst_.front())) return;
      std::pop_heap(worst_.begin(), worst_.end(), IsWorse);
      worst_.pop_back();
    }
    worst_.push_back(line);
    std::push_heap(worst_.begin(), worst_.end(), IsWorse);
  }

  // The share of the rate that the tenth of the lines with the highest rates
  // makes.
  double ShareOfWorstTenth() {
    const auto tenth =
        rates_.begin() + static_cast<std::ptrdiff_t>(rates_.size() / 10);
    std::nth_element(rates_.begin(), tenth, rates_.end(), std::greater<>());
    return rate_sum_ > 0
               ? std::accumulate(rates_.begin(), tenth, 0.0) / rate_sum_
               : 0;
  }

  const uint64_t max_worst_;
  uint64_t files_ = 0;  // files with lines
  uint64_t files_without_ = 0;
  uint64_t solved_lines_ = 0;
  bool rate_is_exact_ = true;
  // Element i counts the solved lines with i / 2 to less than (i + 1) / 2
  // probes per key; as the minimum is 2, element 0 those that match everything.
  std::vector<uint64_t> by_half_probes_ = std::vector<uint64_t>(64);
  // Element i counts the other lines that are i to less than i + 1 percent
  // full; the last element is for 100 %.
  std::vector<uint64_t> by_fill_ = std::vector<uint64_t>(101);
  std::vector<FoundLine> worst_;  // a heap with the least bad line in front
  // The rate of every line. Single precision is enough for the worst tenth and
  // halves the memory.
  std::vector<float> rates_;
  double rate_sum_ = 0;
  double probes_sum_ = 0;  // of solved lines
  double fill_sum_ = 0;    // of the others
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

// For example "12.5 to 13.0"; "match all" for the bar of 0 probes.
std::string BarName(double from, double to) {
  if (to == 0) return "match all";
  const int digits = to - from < 1 ? 1 : 0;
  return absl::StrFormat("%4.*f to %4.*f", digits, from, digits, to);
}

std::string Histogram(const std::string& name, const Json& bars) {
  // The longest bar for which lines are at most kTextWidth wide.
  constexpr double kBarWidth = 60;
  double most = 0;
  for (const Json& bar : bars) {
    most = std::max(most, bar["lines"].get<double>());
  }
  std::string text = absl::StrFormat("%-14s%12s\n", name, "lines");
  for (const Json& bar : bars) {
    const double length = kBarWidth * bar["lines"].get<double>() / most;
    // Anything above 0 is visible.
    const auto columns = static_cast<size_t>(std::max(1.0, std::round(length)));
    absl::StrAppendFormat(
        &text, "%-14s%12s%s\n",
        BarName(bar["from"].get<double>(), bar["to"].get<double>()),
        Fill("{/lines:,}", bar),
        bar["lines"] > 0 ? "  " + std::string(columns, '#') : "");
  }
  return absl::StrCat(text, "\n");
}

std::string Histograms(const Json& report) {
  std::string text;
  const bool both = HasSolved(report) && HasOfBits(report);
  if (HasSolved(report)) {
    Json bars = report["lines_by_probes"];
    const Json& match_all = report["lines_by_half_probes"][0];
    if (match_all > 0) {
      const Json first = {{"from", 0}, {"to", 0}, {"lines", match_all}};
      bars.insert(bars.begin(), first);
    }
    if (both) absl::StrAppend(&text, Fill("{/solved_in_words}\n", report));
    absl::StrAppend(&text, Histogram("Probes per key", bars));
  }
  if (HasOfBits(report)) {
    if (both) absl::StrAppend(&text, Fill("{/bits_in_words}\n", report));
    absl::StrAppend(&text, Histogram("Bits set, %", report["lines_by_fill"]));
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
  if (report["lines_by_half_probes"][0] > 0) {
    notes.push_back(
        "A solved line that matches everything has too many keys, or was "
        "damaged.");
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
  RETURN_IF_ERROR(WritePage(config.html, config.typed, json, text));
  return Outcome{text, json, failures.exit_code()};
}

}  // namespace linebloom::tools
