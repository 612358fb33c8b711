#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/filter_dump/lines/lines.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/table_printer.h"
#include "tools/svg/bar_chart.h"
#include "tools/svg/figure.h"

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

Figure ProbesPicture(const LinesReport& report) {
  BarChart chart = Histogram(ProbeBars(report));
  chart.x_label = "probes per key";
  std::string words = SolvedInWords(report);
  const uint64_t match_all = report.lines_by_half_probes[0];
  if (match_all > 0) {
    absl::StrAppend(
        &words, "; not shown: ", WithThousands(match_all),
        match_all == 1 ? " that matches everything" : " that match everything");
  }
  return {"How many probes the keys of a line have", words, DrawBars(chart)};
}

Figure FillPicture(const LinesReport& report) {
  BarChart chart = Histogram(FillBars(report));
  chart.x_label = "bits set in a line (%)";
  return {"How full the filter's lines are", BitsInWords(report),
          DrawBars(chart)};
}

Figure TenthsPicture(const LinesReport& report) {
  BarChart chart;
  chart.x_label = "tenth of the lines, the worst first";
  chart.y_label = "share of the rate (%)";
  for (size_t i = 0; i < report.tenths.size(); ++i) {
    chart.bars.push_back({absl::StrCat(i + 1), 100 * report.tenths[i].share});
  }
  return {"What each tenth of the lines adds to the rate", RateInWords(report),
          DrawBars(chart)};
}

}  // namespace

std::string LinesAsSvg(const LinesReport& report) {
  std::vector<Figure> figures;
  if (report.solved_lines > 0) figures.push_back(ProbesPicture(report));
  if (report.solved_lines < report.lines) {
    figures.push_back(FillPicture(report));
  }
  figures.push_back(TenthsPicture(report));
  return FiguresAsSvg(figures);
}

}  // namespace linebloom::tools
