// How lookups are spread over the key space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// How lookups of missing keys are spread over the key space, as in --skew.
// Places are shares of it: a place of 0.2 has a fifth of all missing keys below
// it.
class Skew {
 public:
  // A range of neighbouring keys, all equally likely to be looked up.
  struct Stretch {
    double begin;
    double end;
    double lookups;  // share of all lookups
  };

  // Parses "" (uniform), "80/20" (80 % of the lookups fall into a range of 20 %
  // of the key space) or "zipf:0.99" (1,000 equal ranges of Zipf's popularity
  // i^-0.99, i from 1, in random order). `seed` decides where ranges lie.
  // InvalidArgument, with what is possible, for anything else.
  static absl::StatusOr<Skew> Parse(absl::string_view text, uint64_t seed);

  Skew() = default;  // uniform
  // `stretches` as stretches() has them.
  Skew(std::vector<Stretch> stretches, std::string words);

  bool is_uniform() const { return words_.empty(); }

  // In the order of keys, from 0 to 1 without gaps.
  const std::vector<Stretch>& stretches() const { return stretches_; }

  // The stretch in which a lookup falls, for a uniform `random` from 0 to below
  // 1.
  size_t Draw(double random) const;

  // The share of the lookups that fall between two places.
  double LookupsBetween(double begin, double end) const;

  // Lookups of the most popular keys, relative to the average key's.
  double Peak() const;

  // For example "80 % of them in the 20 % of the key space from 12.3 to 32.3
  // %"; "" if uniform.
  const std::string& InWords() const { return words_; }

 private:
  std::vector<Stretch> stretches_ = {{0, 1, 1}};
  std::vector<double> ends_ = {1};  // sums of the stretches' lookups
  std::string words_;
};

}  // namespace linebloom::tools
