// Bars side by side, and histograms.
#pragma once

#include <string>
#include <vector>

#include "tools/svg/svg.h"

namespace linebloom::tools {

struct BarChart {
  struct Bar {
    std::string label;  // below the bar; "" for none
    double value = 0;   // at least 0
  };

  std::string x_label;  // with its unit
  std::string y_label;
  std::vector<Bar> bars;
  // If set, the bars are classes of one quantity, labelled at their left edges
  // and drawn without gaps.
  bool is_histogram = false;
};

Drawing DrawBars(const BarChart& chart);

}  // namespace linebloom::tools
