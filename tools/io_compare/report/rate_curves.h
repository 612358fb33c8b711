// False-positive rates by bits per key, for each kind of filter.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace linebloom::tools {

struct RateCurve {
  struct Place {
    double bits_per_key;
    double rate;
  };

  std::string name;
  std::vector<Place> places;  // by bits per key
};

// From 2 to `most_bits`:
//   a Bloom filter (1 - e^(-k/b))^k, with the best whole k, which is that of
//                  Bloom's paper and not cut into lines;
//   linebloom      as it is planned (ExpectedRate);
//   Ribbon         of filters that RocksDB builds, 50,000 keys each;
//   the bound      2^-b: no filter that says yes to all its keys can be better
//                  (Carter and others, 1978).
// Errors are those of building.
absl::StatusOr<std::vector<RateCurve>> MakeRateCurves(double most_bits);

}  // namespace linebloom::tools
