#include "tools/filter_dump/lines/bar_chart.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "tools/command_line/table_printer.h"

namespace linebloom::tools {
namespace {

constexpr int kWidth = 760;
constexpr int kHeight = 340;  // of one chart
constexpr int kLeft = 86;     // of the area with the bars
constexpr int kRight = kWidth - 24;
constexpr int kTop = 66;
constexpr int kBottom = kHeight - 58;

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string Text(double x, double y, const std::string& text,
                 const std::string& style) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n",
                         x, y, style, Escaped(text));
}

// 20000 as "20,000", 0.25 as "0.25".
std::string MarkText(double mark) {
  return mark >= 1000 ? WithThousands(std::llround(mark))
                      : absl::StrFormat("%g", mark);
}

// One chart with its upper left corner at 0, 0.
class ChartDrawing {
 public:
  explicit ChartDrawing(const BarChart& chart) : chart_(chart) {
    double most = 0;
    for (const BarChart::Bar& bar : chart.bars) {
      most = std::max(most, bar.value);
    }
    marks_ = AxisMarks(most);
  }

  std::string Svg() const {
    return absl::StrCat(Titles(), VerticalAxis(), Bars(), HorizontalAxis());
  }

 private:
  double YOf(double value) const {
    return kBottom - (kBottom - kTop) * value / marks_.back();
  }
  double BarWidth() const {
    return static_cast<double>(kRight - kLeft) /
           static_cast<double>(std::max<size_t>(1, chart_.bars.size()));
  }

  std::string Titles() const {
    return absl::StrCat(Text(kLeft, 26, chart_.title, "title"),
                        Text(kLeft, 46, chart_.subtitle, "subtitle"));
  }

  std::string VerticalAxis() const {
    std::string svg;
    for (const double mark : marks_) {
      absl::StrAppendFormat(&svg,
                            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
                            "y2=\"%.1f\" class=\"grid\"/>\n",
                            kLeft, kRight, YOf(mark), YOf(mark));
      absl::StrAppend(&svg,
                      Text(kLeft - 8, YOf(mark) + 4, MarkText(mark), "y"));
    }
    absl::StrAppendFormat(&svg,
                          "<text transform=\"translate(20,%d) rotate(-90)\" "
                          "class=\"label\">%s</text>\n",
                          (kTop + kBottom) / 2, Escaped(chart_.y_label));
    return svg;
  }

  std::string Bars() const {
    const double gap = chart_.is_histogram ? 1 : 0.25 * BarWidth();
    std::string svg;
    for (size_t i = 0; i < chart_.bars.size(); ++i) {
      const double y = YOf(chart_.bars[i].value);
      absl::StrAppendFormat(
          &svg,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
          kLeft + BarWidth() * static_cast<double>(i) + gap / 2, y,
          BarWidth() - gap, kBottom - y);
    }
    return svg;
  }

  std::string HorizontalAxis() const {
    std::string svg = absl::StrFormat(
        "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" class=\"axis\"/>\n",
        kLeft, kRight, kBottom, kBottom);
    const double shift = chart_.is_histogram ? 0 : 0.5;
    for (size_t i = 0; i < chart_.bars.size(); ++i) {
      if (chart_.bars[i].label.empty()) continue;
      const double x = kLeft + BarWidth() * (static_cast<double>(i) + shift);
      if (chart_.is_histogram) {
        absl::StrAppendFormat(&svg,
                              "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
                              "y2=\"%d\" class=\"axis\"/>\n",
                              x, x, kBottom, kBottom + 5);
      }
      absl::StrAppend(&svg, Text(x, kBottom + 19, chart_.bars[i].label, "x"));
    }
    absl::StrAppend(&svg, Text((kLeft + kRight) / 2.0, kBottom + 43,
                               chart_.x_label, "label"));
    return svg;
  }

  const BarChart& chart_;
  std::vector<double> marks_;
};

constexpr char kStyle[] =
    "<style>text{font-family:sans-serif;font-size:12px;fill:#333}"
    ".title{font-size:16px;font-weight:bold}.subtitle{fill:#666}"
    ".label,.x{text-anchor:middle}.y{text-anchor:end}"
    ".grid{stroke:#ddd}.axis{stroke:#333}rect{fill:#3b6ea5}"
    ".paper{fill:#fff}</style>\n";

}  // namespace

std::vector<double> AxisMarks(double most) {
  if (!(most > 0)) most = 1;
  // Three steps at least are wanted; the largest round step that gives them.
  const double power = std::pow(10, std::floor(std::log10(most / 3)));
  double step = power;
  for (const double factor : {2.0, 5.0}) {
    if (factor * power <= most / 3) step = factor * power;
  }
  std::vector<double> marks = {0};
  while (marks.back() < most) {
    marks.push_back(step * static_cast<double>(marks.size()));
  }
  return marks;
}

std::string ChartsAsSvg(const std::vector<BarChart>& charts) {
  const int height = kHeight * static_cast<int>(charts.size());
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "viewBox=\"0 0 %d %d\">\n%s<rect class=\"paper\" width=\"%d\" "
      "height=\"%d\"/>\n",
      kWidth, height, kWidth, height, kStyle, kWidth, height);
  for (size_t i = 0; i < charts.size(); ++i) {
    absl::StrAppend(&svg, "<g transform=\"translate(0,", kHeight * i, ")\">\n",
                    ChartDrawing(charts[i]).Svg(), "</g>\n");
  }
  return absl::StrCat(svg, "</svg>\n");
}

}  // namespace linebloom::tools
