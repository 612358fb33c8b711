// Curves and points in a plane.
#pragma once

#include <string>
#include <vector>

#include "tools/svg/svg.h"

namespace linebloom::tools {

struct LineChart {
  struct Curve {
    std::string label;
    // A class of kDrawingStyle: a series, "bound" or one of the dashes, or
    // both.
    std::string style_class;
    std::vector<Point> points;
  };
  struct Spot {
    std::string label;
    size_t series = 0;
    Point at;
    std::string title;  // on hover
  };

  std::string x_label;  // with its unit
  std::string y_label;
  bool x_is_logarithmic = false;  // else from 0
  // y is always logarithmic, and values are more than 0.
  std::vector<Curve> curves;
  std::vector<Spot> spots;
};

Drawing DrawLines(const LineChart& chart);

}  // namespace linebloom::tools
