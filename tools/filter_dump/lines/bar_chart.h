// Bar charts as SVG.
//
// Rectangles, lines and words are all there is to them, so nothing more is
// needed. (gnuplot would be one more program to install, and to start and to
// pass data to at run time.)
#pragma once

#include <string>
#include <vector>

namespace linebloom::tools {

struct BarChart {
  struct Bar {
    std::string label;  // below the bar; "" for none
    double value = 0;   // at least 0
  };

  std::string title;
  std::string subtitle;
  std::string x_label;  // with its unit
  std::string y_label;
  std::vector<Bar> bars;
  // True if the bars are classes of one quantity, labelled at their left edges
  // and drawn without gaps.
  bool is_histogram = false;
};

// An SVG document with one chart below the other.
std::string ChartsAsSvg(const std::vector<BarChart>& charts);

// Where an axis from 0 to at least `most` has its marks: three to six steps of
// 1, 2 or 5 times a power of 10.
std::vector<double> AxisMarks(double most);

}  // namespace linebloom::tools
