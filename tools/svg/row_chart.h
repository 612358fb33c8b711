// Values in rows, by group: what each policy has on each level, say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/shared/numbers.h"
#include "tools/svg/svg.h"

namespace linebloom::tools {

struct RowChart {
  struct Row {
    std::string label;
    size_t series = 0;  // its colour and sign
    double value = 0;   // at least 0
    std::optional<Interval> interval;
    std::optional<double> beside;  // a value to compare with: an upright line
    std::string text;              // at the right end
    std::string title;             // on hover
  };
  struct Group {
    std::string label;  // "" for none
    std::vector<Row> rows;
  };

  std::string axis_label;  // with its unit
  // On a logarithmic axis values are signs, on a linear one bars from 0.
  bool is_logarithmic = false;
  std::vector<Group> groups;
};

Drawing DrawRows(const RowChart& chart);

}  // namespace linebloom::tools
