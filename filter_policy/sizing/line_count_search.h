// Finds the number of lines that a filter's keys need for a given rate.
#pragma once

#include <cstdint>
#include <optional>

namespace linebloom {

// Proposes numbers of lines. The caller builds a filter with each and reports
// its rate:
//
//   while (const std::optional<uint32_t> count = search.Next()) {
//     ... build a filter with *count lines ...
//     if (search.Judge(rate)) keep it instead of the one kept so far;
//   }
//
// The first number follows from the expected rate, within 1 % for a large
// filter. Small ones vary by chance, so they get up to 8 tries instead of 2. No
// number exceeds 1.3 times the first, or two lines more, because an attacker
// may choose keys that crowd into few lines; the filter with the lowest rate is
// kept.
//
// Rejected: building only some lines and extrapolating. 10,000 lines predict
// the mean no better than the expected rate does.
class LineCountSearch {
 public:
  // The first number of lines should aim at this fraction of the requested
  // rate.
  static constexpr double kAim = 0.985;

  // All arguments are more than 0. `log_rate_per_bit` is that of the kind of
  // line being built (expected_rate.h).
  LineCountSearch(uint32_t first_count, uint64_t keys, double rate,
                  double log_rate_per_bit);

  // The next number of lines to try; nothing if the filter kept so far is good
  // enough or another try is not worth its time.
  std::optional<uint32_t> Next();

  // `rate` is the rate of a filter with the number of lines that Next()
  // returned. Returns true if it is the best so far.
  bool Judge(double rate);

 private:
  bool IsGoodEnough() const;
  uint32_t Guess() const;

  uint64_t keys_;
  double requested_rate_;
  double log_rate_per_bit_;
  uint32_t max_lines_;     // upper limit of lines
  uint32_t too_few_ = 0;   // the most lines that missed the rate
  uint32_t enough_ = 0;    // the fewest lines that reached it; 0 if none
  double best_rate_ = 0;   // of the filter kept so far
  uint32_t count_;         // the last result of Next()
  double count_rate_ = 0;  // its rate
  int tries_ = 0;
};

}  // namespace linebloom
