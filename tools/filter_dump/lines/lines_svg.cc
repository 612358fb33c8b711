#include <vector>

#include "absl/strings/str_cat.h"
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

BarChart Histogram(const std::vector<LinesBar>& bars) {
  BarChart chart;
  chart.y_label = "lines";
  chart.is_histogram = true;
  for (const LinesBar& bar : bars) {
    chart.bars.push_back(
        {absl::StrCat(bar.from), static_cast<double>(bar.lines)});
  }
  return chart;
}

BarChart ProbesChart(const LinesReport& report) {
  BarChart chart = Histogram(ProbeBars(report));
  chart.title = "How many probes the keys of a line have";
  chart.subtitle = SolvedInWords(report);
  const uint64_t match_all = report.lines_by_half_probes[0];
  if (match_all > 0) {
    absl::StrAppend(
        &chart.subtitle, "; not shown: ", WithThousands(match_all),
        match_all == 1 ? " that matches everything" : " that match everything");
  }
  chart.x_label = "probes per key";
  return chart;
}

BarChart FillChart(const LinesReport& report) {
  BarChart chart = Histogram(FillBars(report));
  chart.title = "How full the filter's lines are";
  chart.subtitle = BitsInWords(report);
  chart.x_label = "bits set in a line (%)";
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
  std::vector<BarChart> charts;
  if (report.solved_lines > 0) charts.push_back(ProbesChart(report));
  if (report.solved_lines < report.lines) charts.push_back(FillChart(report));
  charts.push_back(TenthsChart(report));
  return ChartsAsSvg(charts);
}

}  // namespace linebloom::tools
