#include "tools/svg/axis.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {

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

std::string MarkText(double mark) {
  return mark >= 1000 ? WithThousands(std::llround(mark))
                      : absl::StrFormat("%g", mark);
}

Axis Axis::Linear(double most, double from, double to) {
  return {0, AxisMarks(most).back(), from, to, false};
}

Axis Axis::Logarithmic(double least, double most, double from, double to) {
  // A value that is a power of ten is an end itself, rounding or not.
  const double low = std::floor(std::log10(least) + 1e-9);
  const double high = std::max(low + 1, std::ceil(std::log10(most) - 1e-9));
  return {std::pow(10, low), std::pow(10, high), from, to, true};
}

double Axis::At(double value) const {
  const double inside = std::clamp(value, least_, most_);
  const double share =
      is_logarithmic_ ? std::log(inside / least_) / std::log(most_ / least_)
                      : (inside - least_) / (most_ - least_);
  return from_ + share * (to_ - from_);
}

std::vector<double> Axis::Marks(double pixels) const {
  if (!is_logarithmic_) return AxisMarks(most_);
  const double decades = std::round(std::log10(most_ / least_));
  const double each = std::abs(to_ - from_) / decades;
  const double step = std::max(1.0, std::ceil(pixels / each));
  std::vector<double> marks;
  // Backwards, so that the upper end is one of them.
  for (double decade = decades; decade >= 0; decade -= step) {
    marks.push_back(least_ * std::pow(10, decade));
  }
  std::reverse(marks.begin(), marks.end());
  return marks;
}

}  // namespace linebloom::tools
