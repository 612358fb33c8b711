// Axes: where a value lies, and which values are marked.
#pragma once

#include <string>
#include <vector>

namespace linebloom::tools {

// Where an axis from 0 to at least `most` has its marks: three to six steps of
// 1, 2 or 5 times a power of 10.
std::vector<double> AxisMarks(double most);

// 20000 as "20,000", 0.25 as "0.25".
std::string MarkText(double mark);

// Maps values from `least` to `most` to pixels from `from` to `to`.
class Axis {
 public:
  // From 0, linear.
  static Axis Linear(double most, double from, double to);
  // By the logarithm; the ends go out to powers of ten. 0 < least <= most.
  static Axis Logarithmic(double least, double most, double from, double to);

  // Values beyond an end, 0 on a logarithmic axis among them, are at that end.
  double At(double value) const;
  // Marks: of a logarithmic axis powers of ten no closer than `pixels` to each
  // other, 0 for all of them.
  std::vector<double> Marks(double pixels) const;
  double from() const { return from_; }
  double to() const { return to_; }

 private:
  Axis(double least, double most, double from, double to, bool is_logarithmic)
      : least_(least),
        most_(most),
        from_(from),
        to_(to),
        is_logarithmic_(is_logarithmic) {}

  double least_;
  double most_;
  double from_;
  double to_;
  bool is_logarithmic_;
};

}  // namespace linebloom::tools
