#include "tools/filter_dump/lines/lines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter_facts/block_lines.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "filter_policy/line/line.h"
#include "tools/filter_dump/inputs.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/progress.h"
#include "tools/shared/table_printer.h"

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
  const ParsedFilterBlock parsed =
      ParseFilterBlock(block.payload.data(), block.payload.size());
  const bool readable = parsed.kind == FilterBlockKind::kReadable;
  place.solved = readable && ShapeOf(parsed.info).kind == LineKind::kSolved;
  const bool has_lines = ForEachLineOfAny(
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

std::string SolvedInWords(const LinesReport& report) {
  return absl::StrFormat("%s solved %s, on average %.1f probes per key",
                         WithThousands(report.solved_lines),
                         report.solved_lines == 1 ? "line" : "lines",
                         report.probes);
}

std::string BitsInWords(const LinesReport& report) {
  const uint64_t lines = report.lines - report.solved_lines;
  return absl::StrFormat("%s %s of bits, on average %.1f %% of them set",
                         WithThousands(lines), lines == 1 ? "line" : "lines",
                         100 * report.fill);
}

}  // namespace linebloom::tools
