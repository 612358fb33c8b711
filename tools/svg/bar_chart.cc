#include "tools/svg/bar_chart.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/svg/axis.h"
#include "tools/svg/figure.h"

namespace linebloom::tools {
namespace {

constexpr double kBarsLeft = 76;
constexpr double kBarsRight = kFigureWidth - 14;
constexpr double kBarsTop = 10;
constexpr double kBarsBottom = 190;

class BarDrawing {
 public:
  explicit BarDrawing(const BarChart& chart)
      : chart_(chart),
        values_(Axis::Linear(Most(chart), kBarsBottom, kBarsTop)),
        bar_width_(
            (kBarsRight - kBarsLeft) /
            static_cast<double>(std::max<size_t>(1, chart.bars.size()))) {}

  Drawing Draw() && {
    DrawValueAxis();
    DrawBars();
    DrawLabels();
    drawing_.set_height(kBarsBottom + 44);
    return std::move(drawing_);
  }

 private:
  static double Most(const BarChart& chart) {
    double most = 0;
    for (const BarChart::Bar& bar : chart.bars) {
      most = std::max(most, bar.value);
    }
    return most;
  }

  void DrawValueAxis() {
    for (const double mark : values_.Marks(0)) {
      const double y = values_.At(mark);
      drawing_.Line({kBarsLeft, y}, {kBarsRight, y}, "grid");
      drawing_.Text({kBarsLeft - 6, y + 4.5}, MarkText(mark), "end faint");
    }
    drawing_.VerticalText({12, (kBarsTop + kBarsBottom) / 2}, chart_.y_label);
  }

  void DrawBars() {
    const double gap = chart_.is_histogram ? 1 : 0.25 * bar_width_;
    for (size_t i = 0; i < chart_.bars.size(); ++i) {
      const BarChart::Bar& bar = chart_.bars[i];
      const double y = values_.At(bar.value);
      drawing_.Rect(
          {kBarsLeft + bar_width_ * static_cast<double>(i) + gap / 2, y},
          bar_width_ - gap, kBarsBottom - y, SeriesClass(1),
          absl::StrCat(bar.label, bar.label.empty() ? "" : ": ",
                       MarkText(bar.value)));
    }
  }

  // As many as have room.
  void DrawLabels() {
    drawing_.Line({kBarsLeft, kBarsBottom}, {kBarsRight, kBarsBottom}, "axis");
    const double shift = chart_.is_histogram ? 0 : 0.5;
    double last_end = 0;
    for (size_t i = 0; i < chart_.bars.size(); ++i) {
      const std::string& label = chart_.bars[i].label;
      if (label.empty()) continue;
      const double x =
          kBarsLeft + bar_width_ * (static_cast<double>(i) + shift);
      if (chart_.is_histogram) {
        drawing_.Line({x, kBarsBottom}, {x, kBarsBottom + 5}, "axis");
      }
      const double half = TextWidth(label) / 2;
      if (x - half < last_end) continue;
      last_end = x + half + 4;
      drawing_.Text({x, kBarsBottom + 18}, label, "middle faint");
    }
    drawing_.Text({(kBarsLeft + kBarsRight) / 2, kBarsBottom + 38},
                  chart_.x_label, "middle");
  }

  const BarChart& chart_;
  const Axis values_;
  const double bar_width_;
  Drawing drawing_{kFigureWidth};
};

}  // namespace

Drawing DrawBars(const BarChart& chart) { return BarDrawing(chart).Draw(); }

}  // namespace linebloom::tools
