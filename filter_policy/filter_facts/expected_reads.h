// What filters leave of the reads that a lookup of a missing row costs.
#pragma once

#include <cstdint>
#include <map>

namespace linebloom {

// The data blocks that a lookup of a missing row is expected to read, from the
// false-positive rates of all files. In L0 the sum of the rates, for every file
// may have the row; below, the mean weighted by rows, for one file alone may
// have it.
class ExpectedReads {
 public:
  void Add(int level, uint64_t rows, double rate);

  double OfLevel(int level) const;
  double All() const;  // the sum over the levels
  // How much a file of `rows` on `level` counts: by how much a lookup's reads
  // change if the file's rate changes by 1. The file has been added.
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
