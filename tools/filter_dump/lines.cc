#include "tools/filter_dump/lines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "filter_policy/line/line.h"
#include "nlohmann/json.hpp"
#include "tools/filter_dump/inputs.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/json_values.h"
#include "tools/shared/progress.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

bool IsWorse(const FoundLine& a, const FoundLine& b) {
  return a.contents.rate > b.contents.rate;
}

// Collects lines, file by file.
class LineCollector {
 public:
  LineCollector(uint64_t most_worst, LinesReport* report)
      : most_worst_(most_worst), report_(report) {}

  absl::Status AddFile(const LiveFile& file);
  void Finish();

 private:
  // Returns true if the block has lines.
  bool AddBlock(FoundLine place, const Block& block);
  void AddLine(const FoundLine& line);
  void KeepIfBad(const FoundLine& line);
  void SplitIntoTenths();

  const uint64_t most_worst_;
  LinesReport* report_;
  // The rate of every line. Single precision is enough for the tenths and
  // halves the memory.
  std::vector<float> rates_;
  double rate_sum_ = 0;
  double probes_sum_ = 0;
  double fill_sum_ = 0;
};

void LineCollector::AddLine(const FoundLine& line) {
  const LineContents& contents = line.contents;
  rates_.push_back(static_cast<float>(contents.rate));
  rate_sum_ += contents.rate;
  if (line.solved) {
    ++report_->solved_lines;
    probes_sum_ += contents.probes;
    ++report_->lines_by_half_probes[static_cast<size_t>(2 * contents.probes)];
  } else {
    fill_sum_ += contents.fill();
    // Integer arithmetic, because 29 * 1.0 / 100 * 100 is less than 29.
    ++report_->lines_by_fill[100 * contents.bits_set / contents.bits];
  }
  KeepIfBad(line);
}

// `worst` is a heap with the least bad line in front.
void LineCollector::KeepIfBad(const FoundLine& line) {
  std::vector<FoundLine>& worst = report_->worst;
  if (worst.size() == most_worst_) {
    if (worst.empty() || !IsWorse(line, worst.front())) return;
    std::pop_heap(worst.begin(), worst.end(), IsWorse);
    worst.pop_back();
  }
  worst.push_back(line);
  std::push_heap(worst.begin(), worst.end(), IsWorse);
}

bool LineCollector::AddBlock(FoundLine place, const Block& block) {
  const ParsedFilter parsed =
      ParseFilter(block.payload.data(), block.payload.size());
  const bool readable = parsed.kind == BlockKind::kLinebloom;
  place.solved = readable && parsed.info.request.line == Line::kSolved;
  const bool has_lines = ForEachLine(
      block.payload, [&](uint64_t number, const LineContents& contents) {
        place.number = number;
        place.contents = contents;
        AddLine(place);
      });
  if (has_lines && !readable) report_->rate_is_exact = false;
  return has_lines;
}

absl::Status LineCollector::AddFile(const LiveFile& file) {
  const absl::StatusOr<FilterFile> opened = OpenFilterFile(file.path);
  if (!opened.ok()) return opened.status();
  const FilterLocation& location = opened->location;
  const bool partitioned = location.kind == FilterKind::kPartitioned;
  bool has_lines = false;
  for (size_t i = 0; i < location.blocks.size(); ++i) {
    const absl::StatusOr<Block> block =
        ReadFilterBlock(opened->file, location.blocks[i]);
    if (!block.ok()) return block.status();
    FoundLine place;
    place.file = file;
    if (partitioned) place.partition = i;
    has_lines |= AddBlock(std::move(place), *block);
  }
  ++(has_lines ? report_->files : report_->files_without);
  return absl::OkStatus();
}

void LineCollector::SplitIntoTenths() {
  std::sort(rates_.begin(), rates_.end(), std::greater<>());
  const size_t parts = report_->tenths.size();
  for (size_t i = 0; i < parts; ++i) {
    const size_t begin = rates_.size() * i / parts;
    const size_t end = rates_.size() * (i + 1) / parts;
    double sum = 0;
    for (size_t j = begin; j < end; ++j) sum += rates_[j];
    if (end > begin) {
      report_->tenths[i].rate = sum / static_cast<double>(end - begin);
    }
    if (rate_sum_ > 0) report_->tenths[i].share = sum / rate_sum_;
  }
}

void LineCollector::Finish() {
  report_->lines = rates_.size();
  if (rates_.empty()) return;
  report_->rate = rate_sum_ / static_cast<double>(rates_.size());
  const uint64_t solved = report_->solved_lines;
  const uint64_t others = report_->lines - solved;
  if (solved > 0) report_->probes = probes_sum_ / static_cast<double>(solved);
  if (others > 0) report_->fill = fill_sum_ / static_cast<double>(others);
  std::sort_heap(report_->worst.begin(), report_->worst.end(), IsWorse);
  SplitIntoTenths();
}

// Bars for `counts` from the first to the last that is not 0, with `step`
// counts each. `step` is the first of `steps` that gives at most `most` bars,
// or else the last one.
std::vector<LinesBar> BarsOver(absl::Span<const uint64_t> counts,
                               std::initializer_list<size_t> steps,
                               size_t most) {
  size_t first = 0;
  size_t last = counts.size();
  while (first < last && counts[first] == 0) ++first;
  while (last > first && counts[last - 1] == 0) --last;
  size_t step = 1;
  for (const size_t wider : steps) {
    step = wider;
    if ((last - first) / step + 1 <= most) break;
  }
  std::vector<LinesBar> bars;
  for (size_t from = first - first % step; from < last; from += step) {
    LinesBar bar = {static_cast<double>(from), static_cast<double>(from + step),
                    0};
    for (const uint64_t count : counts.subspan(from, step)) bar.lines += count;
    bars.push_back(bar);
  }
  return bars;
}

// The longest bar for which lines are at most kTextWidth wide.
constexpr double kBarWidth = 60;

std::string Bar(double value, double most) {
  const double length = most > 0 ? kBarWidth * value / most : 0;
  // Anything above 0 is visible.
  const auto columns =
      static_cast<size_t>(value > 0 ? std::max(1.0, std::round(length)) : 0);
  return std::string(columns, '#');
}

using Json = nlohmann::ordered_json;

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
                      RateText(report["false_positive_rate"],
                               report["false_positive_rate_is_exact"]),
                      " %\n");
}

// For example "12.5 to 13.0"; "match all" for the bar of 0 probes.
std::string BarName(double from, double to) {
  if (to == 0) return "match all";
  const int digits = to - from < 1 ? 1 : 0;
  return absl::StrFormat("%4.*f to %4.*f", digits, from, digits, to);
}

std::string Histogram(const std::string& name, const Json& bars) {
  double most = 0;
  for (const Json& bar : bars) {
    most = std::max(most, bar["lines"].get<double>());
  }
  std::string text = absl::StrFormat("%-14s%12s\n", name, "lines");
  for (const Json& bar : bars) {
    const std::string drawn = Bar(bar["lines"], most);
    absl::StrAppendFormat(
        &text, "%-14s%12s%s%s\n",
        BarName(bar["from"].get<double>(), bar["to"].get<double>()),
        Fill("{/lines:,}", bar), drawn.empty() ? "" : "  ", drawn);
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

std::string TenthsText(const Json& report) {
  const Json& tenths = report["tenths"];
  double most = 0;
  for (const Json& tenth : tenths) {
    most = std::max(most, tenth["share"].get<double>());
  }
  std::string text = "Tenth of the lines    FPR %  share of the FPR\n";
  for (size_t i = 0; i < tenths.size(); ++i) {
    const double share = tenths[i]["share"];
    const std::string name = i == 0   ? "the worst"
                             : i == 9 ? "the best"
                                      : absl::StrCat("number ", i + 1);
    const std::string bar = Bar(share, most);
    absl::StrAppendFormat(&text, "%-16s  %9s  %5.1f %%%s%s\n", name,
                          RateText(tenths[i]["false_positive_rate"],
                                   report["false_positive_rate_is_exact"]),
                          100 * share, bar.empty() ? "" : "  ", bar);
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
    row["rate"] = RateText(rate, report["false_positive_rate_is_exact"]);
    if (mean > 0) row["times"] = rate / mean;
    // How many bits are set says nothing about a solved line.
    if (row["solved"] == false) {
      row["fill"] =
          100 * row["bits_set"].get<double>() / row["bits"].get<double>();
    }
  }
  std::vector<Column> columns = {{"Worst lines", "{/label}"},
                                 {"partition", "{/partition:,}"},
                                 {"line", "{/line:,}"},
                                 {"k", "{/k}"}};
  if (HasOfBits(report)) {
    columns.insert(columns.end(), {{"bits set", "{/bits_set}"},
                                   {"of", "{/bits}"},
                                   {"fill %", "{/fill:.1f}"}});
  }
  columns.insert(columns.end(),
                 {{"FPR %", "{/rate}"}, {"times the mean", "{/times:3}"}});
  return TextTable(columns, rows);
}

std::string Notes(const Json& report) {
  std::vector<std::string> notes;
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
  std::string text;
  for (const std::string& note : notes) {
    absl::StrAppend(&text, BulletText(note));
  }
  for (const Json& note : report["notes"]) {
    absl::StrAppend(&text, BulletText(note.get<std::string>()));
  }
  return text;
}

// "1,234 solved lines, on average 9.8 probes per key".
std::string SolvedInWords(const LinesReport& report) {
  return absl::StrFormat("%s solved %s, on average %.1f probes per key",
                         WithThousands(report.solved_lines),
                         report.solved_lines == 1 ? "line" : "lines",
                         report.probes);
}

// "1,234 lines of bits, on average 51.0 % of them set".
std::string BitsInWords(const LinesReport& report) {
  const uint64_t lines = report.lines - report.solved_lines;
  return absl::StrFormat("%s %s of bits, on average %.1f %% of them set",
                         WithThousands(lines), lines == 1 ? "line" : "lines",
                         100 * report.fill);
}

Json BarsAsJson(const std::vector<LinesBar>& bars) {
  Json json = Json::array();
  for (const LinesBar& bar : bars) {
    json.push_back({{"from", bar.from}, {"to", bar.to}, {"lines", bar.lines}});
  }
  return json;
}

Json LineAsJson(const FoundLine& line) {
  const LineContents& contents = line.contents;
  Json json = FileAsJson(line.file);
  json.update({{"partition", OrNull(line.partition)},
               {"line", line.number},
               {"solved", line.solved},
               {"probes", contents.probes},
               {"bits_set", line.solved ? Json() : Json(contents.bits_set)},
               {"bits", line.solved ? Json() : Json(contents.bits)},
               {"false_positive_rate", contents.rate}});
  return json;
}

}  // namespace

absl::StatusOr<LinesReport> ReadLines(const FilterDumpConfig& config) {
  const absl::StatusOr<std::vector<LiveFile>> files = ListInputs(config);
  if (!files.ok()) return files.status();
  LinesReport report;
  report.database = config.db;
  Failures failures(config);
  LineCollector collector(config.worst, &report);
  {
    Progress progress;
    progress.Begin("reading filters", files->size());
    uint64_t done = 0;
    for (const LiveFile& file : *files) {
      if (Interrupted()) return CheckInterrupt();
      const absl::Status status = collector.AddFile(file);
      if (!status.ok()) failures.Add(file, status);
      progress.Update(++done);
    }
  }
  collector.Finish();
  if (report.lines == 0 && failures.problems().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no filter in ", config.db.empty() ? "these files" : config.db,
        " has lines: only linebloom's and RocksDB's Bloom filters "
        "have them"));
  }
  report.notes = failures.notes();
  report.problems = failures.problems();
  report.exit_code = failures.exit_code();
  return report;
}

std::vector<LinesBar> ProbeBars(const LinesReport& report) {
  constexpr size_t kMostBars = 20;
  std::array<uint64_t, 64> counts = report.lines_by_half_probes;
  counts[0] = 0;
  std::vector<LinesBar> bars = BarsOver(counts, {1, 2, 4}, kMostBars);
  for (LinesBar& bar : bars) {
    bar.from /= 2;
    bar.to /= 2;
  }
  return bars;
}

std::vector<LinesBar> FillBars(const LinesReport& report) {
  constexpr size_t kMostBars = 30;
  std::vector<LinesBar> bars =
      BarsOver(report.lines_by_fill, {1, 2, 5}, kMostBars);
  for (LinesBar& bar : bars) bar.to = std::min(bar.to, 100.0);
  return bars;
}

std::string LinesAsText(const Json& report) {
  if (report["lines"] == 0) return "";  // stderr says why
  return absl::StrCat(
      Header(report), "\n", Histograms(report), TenthsText(report), "\n",
      report["worst"].empty() ? "" : WorstTable(report) + "\n", Notes(report));
}

Json LinesAsJson(const LinesReport& report) {
  const bool any_solved = report.solved_lines > 0;
  const bool any_of_bits = report.solved_lines < report.lines;
  Json json = {{"command", "lines"},
               {"database", report.database.empty() ? Json(nullptr)
                                                    : Json(report.database)},
               {"files", report.files},
               {"files_without_lines", report.files_without},
               {"lines", report.lines},
               {"solved_lines", report.solved_lines},
               {"probes", any_solved ? Json(report.probes) : Json()},
               {"fill", any_of_bits ? Json(report.fill) : Json()},
               {"false_positive_rate", report.rate},
               {"false_positive_rate_is_exact", report.rate_is_exact},
               {"lines_by_half_probes", report.lines_by_half_probes},
               {"lines_by_percent_of_bits_set", report.lines_by_fill},
               {"lines_by_probes", BarsAsJson(ProbeBars(report))},
               {"lines_by_fill", BarsAsJson(FillBars(report))},
               {"solved_in_words", any_solved ? SolvedInWords(report) : ""},
               {"bits_in_words", any_of_bits ? BitsInWords(report) : ""},
               {"tenths", Json::array()},
               {"worst", Json::array()}};
  for (const Tenth& tenth : report.tenths) {
    json["tenths"].push_back(
        {{"false_positive_rate", tenth.rate}, {"share", tenth.share}});
  }
  for (const FoundLine& line : report.worst) {
    json["worst"].push_back(LineAsJson(line));
  }
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  return json;
}

}  // namespace linebloom::tools
