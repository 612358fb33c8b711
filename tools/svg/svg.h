// Drawings as SVG.
//
// Rectangles, lines and words are all there is to our pictures, and each is
// told its class, so that one style sheet serves light and dark, screen and
// paper. (gnuplot would be one more program to install, and to start and to
// pass data to at run time; Debian packages no C++ library that writes SVG.)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace linebloom::tools {

// `text` as it may stand in XML and HTML, in an attribute too. Bytes that are
// not UTF-8 or that XML cannot hold become U+FFFD.
std::string EscapeXml(absl::string_view text);

// How many colours there are for series, `series0` and so on, and for classes
// of a quantity, `scale0` (least) and so on.
inline constexpr size_t kSeriesColors = 8;
inline constexpr size_t kScaleColors = 7;

// About how wide a text is drawn, in pixels.
double TextWidth(absl::string_view text);

struct Point {
  double x = 0;
  double y = 0;
};

// Elements are drawn in the order of the calls. Lengths are in CSS pixels.
// Classes are those of kDrawingStyle; `title` shows when the pointer rests on
// the element.
class Drawing {
 public:
  // `width` 0: as wide as there is room, for those that use RectAcross alone.
  explicit Drawing(double width) : width_(width) {}

  void Rect(Point corner, double width, double height,
            absl::string_view style_class, absl::string_view title = "");
  // With its left edge and width in percent of the drawing's.
  void RectAcross(double left, double width, double y, double height,
                  absl::string_view style_class, absl::string_view title = "");
  void Line(Point from, Point to, absl::string_view style_class);
  void Curve(const std::vector<Point>& points, absl::string_view style_class);
  // A small sign that differs in shape and colour from series to series.
  void Marker(Point center, size_t series, absl::string_view title = "");
  void Text(Point at, absl::string_view text, absl::string_view style_class);
  // From bottom to top.
  void VerticalText(Point at, absl::string_view text);

  // Another drawing, `y` further down.
  void Add(const Drawing& other, double y);

  void set_height(double height) { height_ = height; }
  double width() const { return width_; }
  double height() const { return height_; }

  // An <svg> element for a page that has kDrawingStyle, called `name` for those
  // who cannot see it.
  std::string Element(absl::string_view name) const;
  // A file of its own, `width` wide where the drawing has no width.
  std::string Document(absl::string_view name, double width) const;

 private:
  std::string Open(absl::string_view name, double width,
                   absl::string_view attributes) const;

  double width_;
  double height_ = 0;
  std::string elements_;
};

// The class of series or scale `i`, which wraps around or ends at the last.
std::string SeriesClass(size_t i);
std::string ScaleClass(size_t i);

// For light and dark. Okabe and Ito's colours, which the colour-blind tell
// apart, darker or lighter where the ground asks for it; the scale is of one
// hue, and the more of a quantity, the further from the ground.
extern const char kDrawingStyle[];

}  // namespace linebloom::tools
