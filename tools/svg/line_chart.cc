#include "tools/svg/line_chart.h"

#include <algorithm>
#include <limits>

#include "tools/svg/axis.h"
#include "tools/svg/figure.h"

namespace linebloom::tools {
namespace {

constexpr double kLeft = 66;
constexpr double kRight = kFigureWidth - 30;  // for half a mark's text
constexpr double kTop = 10;
constexpr double kBottom = 290;
constexpr double kLegendTop = kBottom + 58;
constexpr double kLegendRow = 22;

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;

  void See(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

class LineDrawing {
 public:
  explicit LineDrawing(const LineChart& chart)
      : chart_(chart), x_(XAxis(chart)), y_(YAxis(chart)) {}

  Drawing Draw() && {
    DrawAxes();
    for (const LineChart::Curve& curve : chart_.curves) {
      std::vector<Point> points;
      for (const Point& point : curve.points) points.push_back(At(point));
      drawing_.Curve(points, curve.style_class);
    }
    for (const LineChart::Spot& spot : chart_.spots) {
      drawing_.Marker(At(spot.at), spot.series, spot.title);
    }
    DrawLegend();
    return std::move(drawing_);
  }

 private:
  template <typename See>
  static void SeeAll(const LineChart& chart, See see) {
    for (const LineChart::Curve& curve : chart.curves) {
      for (const Point& point : curve.points) see(point);
    }
    for (const LineChart::Spot& spot : chart.spots) see(spot.at);
  }

  static Axis XAxis(const LineChart& chart) {
    Range range;
    SeeAll(chart, [&](const Point& point) { range.See(point.x); });
    return chart.x_is_logarithmic && range.most > 0
               ? Axis::Logarithmic(range.least, range.most, kLeft, kRight)
               : Axis::Linear(range.most, kLeft, kRight);
  }

  static Axis YAxis(const LineChart& chart) {
    Range range;
    SeeAll(chart, [&](const Point& point) { range.See(point.y); });
    if (range.most == 0) range.least = range.most = 1;
    return Axis::Logarithmic(range.least, range.most, kBottom, kTop);
  }

  Point At(const Point& point) const {
    return {x_.At(point.x), y_.At(point.y)};
  }

  void DrawAxes() {
    for (const double mark : x_.Marks(50)) {
      const double x = x_.At(mark);
      drawing_.Line({x, kTop}, {x, kBottom}, "grid");
      const std::string text = MarkText(mark);
      // A long text at the right end must not leave the picture.
      drawing_.Text(
          {std::min(x, kFigureWidth - TextWidth(text) / 2 - 2), kBottom + 17},
          text, "middle faint");
    }
    for (const double mark : y_.Marks(24)) {
      const double y = y_.At(mark);
      drawing_.Line({kLeft, y}, {kRight, y}, "grid");
      drawing_.Text({kLeft - 6, y + 4.5}, MarkText(mark), "end faint");
    }
    drawing_.Text({(kLeft + kRight) / 2, kBottom + 38}, chart_.x_label,
                  "middle");
    drawing_.VerticalText({12, (kTop + kBottom) / 2}, chart_.y_label);
  }

  // In one or two columns, as the labels have room.
  void DrawLegend() {
    double widest = 0;
    for (const auto& curve : chart_.curves) {
      widest = std::max(widest, TextWidth(curve.label));
    }
    for (const auto& spot : chart_.spots) {
      widest = std::max(widest, TextWidth(spot.label));
    }
    constexpr double kSample = 36;
    const bool two = widest + kSample < kFigureWidth / 2;
    const size_t entries = chart_.curves.size() + chart_.spots.size();
    const size_t rows = two ? (entries + 1) / 2 : entries;
    for (size_t i = 0; i < entries; ++i) {
      const double x = i < rows ? 0 : kFigureWidth / 2;
      const double y = kLegendTop + kLegendRow * static_cast<double>(
                                                     i < rows ? i : i - rows);
      if (i < chart_.curves.size()) {
        drawing_.Curve({{x, y}, {x + kSample - 8, y}},
                       chart_.curves[i].style_class);
        drawing_.Text({x + kSample, y + 4.5}, chart_.curves[i].label, "");
      } else {
        const LineChart::Spot& spot = chart_.spots[i - chart_.curves.size()];
        drawing_.Marker({x + 14, y}, spot.series);
        drawing_.Text({x + kSample, y + 4.5}, spot.label, "");
      }
    }
    drawing_.set_height(kLegendTop + kLegendRow * static_cast<double>(rows));
  }

  const LineChart& chart_;
  const Axis x_;
  const Axis y_;
  Drawing drawing_{kFigureWidth};
};

}  // namespace

Drawing DrawLines(const LineChart& chart) { return LineDrawing(chart).Draw(); }

}  // namespace linebloom::tools
