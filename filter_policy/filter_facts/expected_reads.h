// The reads that a lookup of a missing row still costs with filters.
#pragma once

#include <cstdint>
#include <map>

namespace linebloom {

// The data blocks that a lookup of a missing row is expected to read, from the
// false-positive rates of all files. In L0 the sum of the rates, because every
// file may have the row; in each level below, the mean weighted by rows,
// because only one file may have it.
class ExpectedReads {
 public:
  void Add(int level, uint64_t rows, double rate);

  double OfLevel(int level) const;
  double All() const;  // sum over all levels
  // The weight of a file of `rows` rows on `level`, which must have been added:
  // how much a lookup's reads change if the file's rate changes by 1.
  double Weight(int level, uint64_t rows) const;

 private:
  struct Level {
    uint64_t rows = 0;
    double rates = 0;
    double rates_by_rows = 0;
  };
  std::map<int, Level> levels_;
};

}  // namespace linebloom
