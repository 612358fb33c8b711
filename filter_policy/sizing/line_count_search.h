// Finds how many lines the keys of a filter need for a rate.
#pragma once

#include <cstdint>
#include <optional>

namespace linebloom {

// Proposes numbers of lines; the caller builds a filter with each and says what
// rate it has:
//
//   while (const std::optional<uint32_t> count = search.Next()) {
//     ... build with *count lines ...
//     if (search.Judge(rate)) keep it in place of the one that was kept;
//   }
//
// The first number is the caller's, from the expected rate; for a large filter
// it is within 1 % of the fewest. A small one's rate varies by chance, from one
// number of lines to the next too, so it is tried more often: up to 8 times for
// 65,536 keys and fewer, 2 times for more.
//
// Keys that crowd in few lines, because somebody chose them so, keep a filter
// above its rate whatever its size. So no number is more than 1.3 times the
// first, or two lines more, and if none of the filters has the rate the one
// with the lowest is kept. Rejected: to build only some of the lines and
// conclude from them. Lines have rates so different that 10,000 of them tell
// the mean no better than the expected rate does.
class LineCountSearch {
 public:
  // Of the rate asked for: what the first number of lines should aim at.
  static constexpr double kAim = 0.985;

  // Everything is more than 0.
  // `log_rate_per_bit` is that of the line that is built (expected_rate.h).
  LineCountSearch(uint32_t first_count, uint64_t keys, double rate,
                  double log_rate_per_bit);

  // The next number of lines to try; nothing once the filter that was kept is
  // good enough or the next try is not worth its time.
  std::optional<uint32_t> Next();

  // `rate` is that of the filter with as many lines as Next() said. Returns
  // whether it is the best one so far.
  bool Judge(double rate);

 private:
  bool IsGoodEnough() const;
  uint32_t Guess() const;

  uint64_t keys_;
  double asked_rate_;
  double log_rate_per_bit_;
  uint32_t most_;          // lines
  uint32_t too_few_ = 0;   // lines that did not reach the rate
  uint32_t enough_ = 0;    // the fewest lines that did; 0: none
  double best_rate_ = 0;   // of the filter that was kept
  uint32_t count_;         // the number that Next() said last
  double count_rate_ = 0;  // its rate
  int tries_ = 0;
};

}  // namespace linebloom
