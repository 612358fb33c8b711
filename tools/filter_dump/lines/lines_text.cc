#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/filter_dump/lines/lines.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

// The longest bar for which lines are at most kTextWidth wide.
constexpr double kBarWidth = 60;

std::string Bar(double value, double most) {
  const double length = most > 0 ? kBarWidth * value / most : 0;
  // Anything above 0 is visible.
  const auto columns =
      static_cast<size_t>(value > 0 ? std::max(1.0, std::round(length)) : 0);
  return std::string(columns, '#');
}

bool HasBothKinds(const LinesReport& report) {
  return report.solved_lines > 0 && report.solved_lines < report.lines;
}

std::string Header(const LinesReport& report) {
  const std::string lines =
      HasBothKinds(report) ? absl::StrCat(WithThousands(report.lines), " lines")
      : report.solved_lines > 0 ? absl::StrCat(SolvedInWords(report), ",")
                                : absl::StrCat(BitsInWords(report), ",");
  return absl::StrCat(lines, " in ", WithThousands(report.files),
                      report.files == 1 ? " file" : " files", "; FPR ",
                      RateText(report.rate, report.rate_is_exact), " %\n");
}

// For example "12.5 to 13.0"; "match all" for the bar of 0 probes.
std::string BarName(const LinesBar& bar) {
  if (bar.to == 0) return "match all";
  const int digits = bar.to - bar.from < 1 ? 1 : 0;
  return absl::StrFormat("%4.*f to %4.*f", digits, bar.from, digits, bar.to);
}

std::string Histogram(const std::string& name,
                      const std::vector<LinesBar>& bars) {
  uint64_t most = 0;
  for (const LinesBar& bar : bars) most = std::max(most, bar.lines);
  std::string text = absl::StrFormat("%-14s%12s\n", name, "lines");
  for (const LinesBar& bar : bars) {
    absl::StrAppendFormat(&text, "%-14s%12s", BarName(bar),
                          WithThousands(bar.lines));
    if (bar.lines > 0) {
      absl::StrAppend(
          &text, "  ",
          Bar(static_cast<double>(bar.lines), static_cast<double>(most)));
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

std::string Histograms(const LinesReport& report) {
  std::string text;
  if (report.solved_lines > 0) {
    std::vector<LinesBar> bars = ProbeBars(report);
    const uint64_t match_all = report.lines_by_half_probes[0];
    if (match_all > 0) bars.insert(bars.begin(), {0, 0, match_all});
    if (HasBothKinds(report)) {
      absl::StrAppend(&text, SolvedInWords(report), "\n");
    }
    absl::StrAppend(&text, Histogram("Probes per key", bars), "\n");
  }
  if (report.solved_lines < report.lines) {
    if (HasBothKinds(report)) {
      absl::StrAppend(&text, BitsInWords(report), "\n");
    }
    absl::StrAppend(&text, Histogram("Bits set, %", FillBars(report)), "\n");
  }
  return text;
}

std::string TenthsText(const LinesReport& report) {
  double most = 0;
  for (const Tenth& tenth : report.tenths) most = std::max(most, tenth.share);
  std::string text = "Tenth of the lines    FPR %  share of the FPR\n";
  for (size_t i = 0; i < report.tenths.size(); ++i) {
    const Tenth& tenth = report.tenths[i];
    const std::string name = i == 0   ? "the worst"
                             : i == 9 ? "the best"
                                      : absl::StrCat("number ", i + 1);
    const std::string bar = Bar(tenth.share, most);
    absl::StrAppendFormat(&text, "%-16s  %9s  %5.1f %%%s%s\n", name,
                          RateText(tenth.rate, report.rate_is_exact),
                          100 * tenth.share, bar.empty() ? "" : "  ", bar);
  }
  return text;
}

// How many bits are set, if that says anything about the line.
std::vector<std::string> BitsCells(const FoundLine& line) {
  if (line.solved) return {"-", "-", "-"};
  const LineContents& contents = line.contents;
  return {absl::StrCat(contents.bits_set), absl::StrCat(contents.bits),
          absl::StrFormat("%.1f", 100 * contents.fill())};
}

std::string WorstTable(const LinesReport& report) {
  const bool any_of_bits = report.solved_lines < report.lines;
  std::vector<std::string> header = {"Worst lines", "partition", "line", "k"};
  if (any_of_bits) header.insert(header.end(), {"bits set", "of", "fill %"});
  header.insert(header.end(), {"FPR %", "times the mean"});
  TablePrinter table(header);
  for (const FoundLine& line : report.worst) {
    const LineContents& contents = line.contents;
    std::vector<std::string> row = {
        FileLabel(line.file),
        line.partition.has_value() ? WithThousands(*line.partition) : "-",
        WithThousands(line.number), ProbesText(contents.probes, line.solved)};
    if (any_of_bits) {
      for (std::string& cell : BitsCells(line)) row.push_back(std::move(cell));
    }
    row.push_back(RateText(contents.rate, report.rate_is_exact));
    row.push_back(report.rate > 0 ? ThreeDigits(contents.rate / report.rate)
                                  : "-");
    table.AddRow(std::move(row));
  }
  return table.Text();
}

std::string Notes(const LinesReport& report) {
  std::string text;
  if (report.solved_lines > 0) {
    absl::StrAppend(
        &text,
        BulletText("k of a solved line: probes per key. The keys of a line "
                   "share up to 504 probes, so few probes mean many keys; k "
                   "probes let about 2^-k of the missing keys pass."));
  }
  if (report.lines_by_half_probes[0] > 0) {
    absl::StrAppend(&text, BulletText("A solved line that matches everything "
                                      "has too many keys, or was damaged."));
  }
  if (report.solved_lines < report.lines) {
    absl::StrAppend(&text, BulletText("Lines of bits, plain ones and those of "
                                      "RocksDB's Bloom filters, don't record "
                                      "how many keys they have."));
  }
  return text;
}

}  // namespace

std::string LinesAsText(const LinesReport& report) {
  if (report.lines == 0) return "";  // stderr says why
  std::string text = absl::StrCat(Header(report), "\n", Histograms(report),
                                  TenthsText(report), "\n");
  if (!report.worst.empty()) absl::StrAppend(&text, WorstTable(report), "\n");
  absl::StrAppend(&text, Notes(report));
  if (report.files_without > 0) {
    absl::StrAppend(
        &text, BulletText(absl::StrCat(WithThousands(report.files_without),
                                       report.files_without == 1
                                           ? " file was left out: it has"
                                           : " files were left out: they have",
                                       " no filter, or one without lines.")));
  }
  for (const std::string& note : report.notes) {
    absl::StrAppend(&text, BulletText(note));
  }
  return text;
}

}  // namespace linebloom::tools
