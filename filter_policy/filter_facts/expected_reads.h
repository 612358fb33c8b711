// The reads that a lookup of a missing row still costs with filters.
#pragma once

#include <map>

namespace linebloom {

// The data blocks that a lookup of a missing row is expected to read, from the
// false-positive rates of all files. In L0 the sum of the rates, because every
// file may have the row; in each level below, the mean, because only one file
// may have it.
class ExpectedReads {
 public:
  // `lookups` says how many of the level's lookups fall on the file, in any
  // unit: its rows or, if heat is known, its rows times their heat.
  void Add(int level, double lookups, double rate);

  double OfLevel(int level) const;
  double All() const;  // sum over all levels
  // The weight of a file with these `lookups` on `level`, which must have been
  // added: how much a lookup's reads change if the file's rate changes by 1.
  double Weight(int level, double lookups) const;

 private:
  struct Level {
    double lookups = 0;
    double rates = 0;
    double rates_by_lookups = 0;
  };
  std::map<int, Level> levels_;
};

}  // namespace linebloom
