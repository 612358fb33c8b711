#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/command_line/table_printer.h"
#include "tools/filter_dump/lines/lines.h"
#include "tools/filter_dump/text.h"

namespace linebloom::tools {
namespace {

// Longest bar, so that a line of the picture is at most kTextWidth wide.
constexpr double kBarWidth = 60;

std::string Bar(double value, double most) {
  const double length = most > 0 ? kBarWidth * value / most : 0;
  // What is there is seen.
  const auto columns =
      static_cast<size_t>(value > 0 ? std::max(1.0, std::round(length)) : 0);
  return std::string(columns, '#');
}

std::string Header(const LinesReport& report) {
  return absl::StrFormat(
      "%s lines in %s %s, on average %.1f %% of their bits set; FPR %s %%\n",
      WithThousands(report.lines), WithThousands(report.files),
      report.files == 1 ? "file" : "files", 100 * report.fill,
      RateText(report.rate, report.rate_is_exact));
}

std::string Histogram(const LinesReport& report) {
  const std::vector<FillBar> bars = FillBars(report);
  uint64_t most = 0;
  for (const FillBar& bar : bars) most = std::max(most, bar.lines);
  std::string text = "Bits set, %       lines\n";
  for (const FillBar& bar : bars) {
    absl::StrAppendFormat(&text, "%3d to %3d  %12s", bar.from, bar.to,
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

std::string TenthsPicture(const LinesReport& report) {
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

std::string WorstTable(const LinesReport& report) {
  TablePrinter table({"Worst lines", "partition", "line", "k", "bits set", "of",
                      "fill %", "FPR %", "times the mean"});
  for (const FoundLine& line : report.worst) {
    const LineContents& contents = line.contents;
    table.AddRow(
        {FileLabel(line.file),
         line.partition.has_value() ? WithThousands(*line.partition) : "-",
         WithThousands(line.number), ProbesText(contents.probes),
         absl::StrCat(contents.bits_set), absl::StrCat(contents.bits),
         absl::StrFormat("%.1f", 100 * contents.fill()),
         RateText(contents.rate, report.rate_is_exact),
         report.rate > 0 ? ThreeDigits(contents.rate / report.rate) : "-"});
  }
  return table.Text();
}

}  // namespace

std::string LinesAsText(const LinesReport& report) {
  if (report.lines == 0) return "";  // stderr says why
  std::string text = absl::StrCat(Header(report), "\n", Histogram(report), "\n",
                                  TenthsPicture(report), "\n");
  if (!report.worst.empty()) absl::StrAppend(&text, WorstTable(report), "\n");
  absl::StrAppend(
      &text,
      BulletText("A solved line has 504 bits for its keys, a plain one 512; "
                 "how many keys a line has is not recorded."));
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
