#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/command_line/table_printer.h"
#include "tools/filter_dump/lines/bar_chart.h"
#include "tools/filter_dump/lines/lines.h"
#include "tools/filter_dump/text.h"

namespace linebloom::tools {
namespace {

std::string RateInWords(const LinesReport& report) {
  return absl::StrCat("false-positive rate ",
                      RateText(report.rate, report.rate_is_exact), " %");
}

BarChart FillChart(const LinesReport& report) {
  BarChart chart;
  chart.title = "How full the filter's lines are";
  chart.subtitle =
      absl::StrFormat("%s lines in %s %s, on average %.1f %% of their bits set",
                      WithThousands(report.lines), WithThousands(report.files),
                      report.files == 1 ? "file" : "files", 100 * report.fill);
  chart.x_label = "bits set in a line (%)";
  chart.y_label = "lines";
  chart.is_histogram = true;
  for (const FillBar& bar : FillBars(report)) {
    chart.bars.push_back(
        {absl::StrCat(bar.from), static_cast<double>(bar.lines)});
  }
  return chart;
}

BarChart TenthsChart(const LinesReport& report) {
  BarChart chart;
  chart.title = "What each tenth of the lines adds to the false-positive rate";
  chart.subtitle = RateInWords(report);
  chart.x_label = "tenth of the lines, the worst first";
  chart.y_label = "share of the rate (%)";
  for (size_t i = 0; i < report.tenths.size(); ++i) {
    chart.bars.push_back({absl::StrCat(i + 1), 100 * report.tenths[i].share});
  }
  return chart;
}

}  // namespace

std::string LinesAsSvg(const LinesReport& report) {
  return ChartsAsSvg({FillChart(report), TenthsChart(report)});
}

}  // namespace linebloom::tools
