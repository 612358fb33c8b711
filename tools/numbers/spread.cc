#include "tools/numbers/spread.h"

#include <algorithm>

namespace linebloom::tools {

Spread SpreadOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1
                            ? values[half]
                            : (values[half - 1] + values[half]) / 2;
  return {values.front(), median, values.back()};
}

}  // namespace linebloom::tools
