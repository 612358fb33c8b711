#include "tools/svg/row_chart.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "tools/svg/axis.h"
#include "tools/svg/figure.h"

namespace linebloom::tools {
namespace {

constexpr double kRowHeight = 22;
constexpr double kGroupHeight = 26;
constexpr double kGap = 10;

class RowDrawing {
 public:
  explicit RowDrawing(const RowChart& chart) : chart_(chart) {
    double labels = 0;
    double texts = 0;
    double height = 4;
    for (const RowChart::Group& group : chart.groups) {
      if (!group.label.empty()) height += kGroupHeight;
      for (const RowChart::Row& row : group.rows) {
        labels = std::max(labels, TextWidth(row.label));
        texts = std::max(texts, TextWidth(row.text));
        height += kRowHeight;
      }
    }
    left_ = labels + kGap;
    right_ = kFigureWidth - texts - kGap;
    bottom_ = height + 4;
    drawing_.set_height(bottom_ + 44);
  }

  Drawing Draw() && {
    const Axis axis = ValueAxis();
    DrawAxis(axis);
    double y = 4;
    for (const RowChart::Group& group : chart_.groups) {
      if (!group.label.empty()) {
        drawing_.Text({0, y + kGroupHeight - 9}, group.label, "bold");
        y += kGroupHeight;
      }
      for (const RowChart::Row& row : group.rows) {
        DrawRow(row, axis, y + kRowHeight / 2);
        y += kRowHeight;
      }
    }
    return std::move(drawing_);
  }

 private:
  Axis ValueAxis() const {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    const auto see = [&](double value) {
      most = std::max(most, value);
      if (value > 0) least = std::min(least, value);
    };
    for (const RowChart::Group& group : chart_.groups) {
      for (const RowChart::Row& row : group.rows) {
        see(row.value);
        if (row.beside.has_value()) see(*row.beside);
        if (row.interval.has_value()) see(row.interval->high);
        // A count of 0 or 1 has an interval that goes far down.
        if (row.interval.has_value() && row.value > 0) {
          see(std::max(row.interval->low, row.value / 10));
        }
      }
    }
    if (!chart_.is_logarithmic) return Axis::Linear(most, left_, right_);
    if (most == 0) least = most = 1;
    return Axis::Logarithmic(least, most, left_, right_);
  }

  void DrawAxis(const Axis& axis) {
    double last_end = -1;
    for (const double mark : axis.Marks(0)) {
      drawing_.Line({axis.At(mark), 4}, {axis.At(mark), bottom_}, "grid");
    }
    for (const double mark : axis.Marks(52)) {
      const double x = axis.At(mark);
      const double half = TextWidth(MarkText(mark)) / 2;
      if (x - half < last_end) continue;
      last_end = x + half + 4;
      drawing_.Text({x, bottom_ + 16}, MarkText(mark), "middle faint");
    }
    drawing_.Text({kFigureWidth / 2, bottom_ + 36}, chart_.axis_label,
                  "middle");
  }

  void DrawRow(const RowChart::Row& row, const Axis& axis, double y) {
    const std::string series = SeriesClass(row.series);
    drawing_.Text({left_ - kGap, y + 4.5}, row.label, "end");
    drawing_.Text({kFigureWidth, y + 4.5}, row.text, "end");
    const double x = axis.At(row.value);
    if (!chart_.is_logarithmic) {
      drawing_.Rect({axis.from(), y - 7}, x - axis.from(), 14, series,
                    row.title);
    }
    if (row.interval.has_value()) {
      drawing_.Line({axis.At(row.interval->low), y},
                    {axis.At(row.interval->high), y}, series + " interval");
    }
    if (row.beside.has_value()) {
      const double beside = axis.At(*row.beside);
      drawing_.Line({beside, y - 8}, {beside, y + 8}, "axis interval");
    }
    // 0 has no place on a logarithmic axis: there its interval alone is drawn.
    if (chart_.is_logarithmic && row.value > 0) {
      drawing_.Marker({x, y}, row.series, row.title);
    }
  }

  const RowChart& chart_;
  Drawing drawing_{kFigureWidth};
  double left_;
  double right_;
  double bottom_;
};

}  // namespace

Drawing DrawRows(const RowChart& chart) { return RowDrawing(chart).Draw(); }

}  // namespace linebloom::tools
