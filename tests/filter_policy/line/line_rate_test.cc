#include <gtest/gtest.h>

#include <array>
#include <random>

#include "filter_policy/line/plain_probes.h"

namespace linebloom {
namespace {

using BitsSet = std::array<int, kWordsPerLine>;

// The mean over windows, each product and each sum rounded on its own:
// `volatile` keeps the compiler from fusing them. What a fused multiply-add
// would change is the last bit.
double RateInSingleSteps(const BitsSet& bits_set, int probes) {
  volatile double sum = 0;
  for (int window = 0; window < kWordsPerLine; ++window) {
    volatile double product = 1;
    for (int i = 0; i < probes; ++i) {
      // Whole rounds come first, one word after another.
      const int rounds = probes / kWordsPerLine;
      const int word = i < rounds * kWordsPerLine
                           ? i / rounds
                           : (window + i) % kWordsPerLine;
      product = product * (bits_set[word] / 64.0);
    }
    sum = sum + product;
  }
  return sum / kWordsPerLine;
}

TEST(PlainLineRateTest, IsTheMeanToTheLastBitWhateverIsFused) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    BitsSet bits_set;
    for (int& bits : bits_set) bits = static_cast<int>(random() % 65);
    const int probes = 1 + static_cast<int>(random() % kMaxPlainProbes);
    ASSERT_EQ(RateInSingleSteps(bits_set, probes),
              PlainLineRate(bits_set, probes))
        << probes << " probes";
  }
}

}  // namespace
}  // namespace linebloom
