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
// number of lines to the next too, and so does how often it is tried: up to 2
// times for more than 65,536 keys, 8 for fewer, and more only while nothing
// reaches the rate. Rejected: to build only some of the lines and conclude from
// them. Lines have rates so different that 10,000 of them tell the mean no
// better than the expected rate does.
class LineCountSearch {
 public:
  // Of the rate asked for: what the first number of lines should aim at.
  static constexpr double kAim = 0.985;

  // Everything is more than 0.
  LineCountSearch(uint32_t first_count, uint64_t keys, double rate);

  // The next number of lines to try; nothing once the filter that was kept is
  // good enough or can't be had.
  std::optional<uint32_t> Next();

  // `rate` is that of the filter with as many lines as Next() said. Returns
  // whether it is the best one so far.
  bool Judge(double rate);

 private:
  bool IsGoodEnough() const;
  uint32_t Guess() const;

  uint64_t keys_;
  double asked_rate_;
  uint32_t most_;         // lines
  uint32_t too_few_ = 0;  // lines that did not reach the rate
  uint32_t enough_ = 0;   // the fewest lines that did; 0: none
  double enough_rate_ = 0;
  uint32_t count_;         // the number that Next() said last
  double count_rate_ = 0;  // its rate
  int tries_ = 0;
};

}  // namespace linebloom
