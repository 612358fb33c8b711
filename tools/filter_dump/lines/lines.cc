#include "tools/filter_dump/lines/lines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/block_lines.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "tools/command_line/interrupt.h"
#include "tools/command_line/progress.h"
#include "tools/filter_dump/inputs.h"

namespace linebloom::tools {
namespace {

bool IsWorse(const FoundLine& a, const FoundLine& b) {
  return a.contents.rate > b.contents.rate;
}

// Takes lines in, file by file.
class LineCollector {
 public:
  LineCollector(uint64_t most_worst, LinesReport* report)
      : most_worst_(most_worst), report_(report) {}

  absl::Status AddFile(const LiveFile& file);
  void Finish();

 private:
  // Whether the block has lines.
  bool AddBlock(FoundLine place, const Block& block);
  void AddLine(const FoundLine& line);
  void KeepIfBad(const FoundLine& line);
  void SplitIntoTenths();

  const uint64_t most_worst_;
  LinesReport* report_;
  // Of every line; single precision is enough for the tenths, and takes half of
  // the memory.
  std::vector<float> rates_;
  double rate_sum_ = 0;
  double fill_sum_ = 0;
};

void LineCollector::AddLine(const FoundLine& line) {
  const double fill = line.contents.fill();
  rates_.push_back(static_cast<float>(line.contents.rate));
  rate_sum_ += line.contents.rate;
  fill_sum_ += fill;
  // In whole numbers, for 29 * 1.0 / 100 * 100 is less than 29.
  ++report_->lines_by_fill[100 * line.contents.bits_set / line.contents.bits];
  KeepIfBad(line);
}

// `worst` is a heap with the least bad of them in front.
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
  const bool has_lines = ForEachLineOfAny(
      block.payload, [&](uint64_t number, const LineContents& contents) {
        place.number = number;
        place.contents = contents;
        AddLine(place);
      });
  if (has_lines &&
      ParseFilterBlock(block.payload.data(), block.payload.size()).kind !=
          FilterBlockKind::kReadable) {
    report_->rate_is_exact = false;
  }
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
    FoundLine place = {file, std::nullopt, 0, {}};
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
  report_->fill = fill_sum_ / static_cast<double>(rates_.size());
  std::sort_heap(report_->worst.begin(), report_->worst.end(), IsWorse);
  SplitIntoTenths();
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

std::vector<FillBar> FillBars(const LinesReport& report) {
  const auto& counts = report.lines_by_fill;
  constexpr int kMostBars = 30;
  int first = 0;
  int last = 100;
  while (first < 100 && counts[first] == 0) ++first;
  while (last > first && counts[last] == 0) --last;
  int step = 1;
  for (const int wider : {2, 5}) {
    if ((last - first) / step + 1 > kMostBars) step = wider;
  }
  std::vector<FillBar> bars;
  for (int from = first - first % step; from <= last; from += step) {
    FillBar bar = {from, std::min(from + step, 100), 0};
    for (int i = from; i < from + step && i <= 100; ++i) bar.lines += counts[i];
    bars.push_back(bar);
  }
  return bars;
}

}  // namespace linebloom::tools
