// One word at a time, with an instruction that counts bits: for CPUs with
// POPCNT and BMI2 but no AVX2, and for virtual machines that hide AVX2.
#if defined(__x86_64__)

#include "filter_policy/line/kernel/kernel_includes.inc"

LINEBLOOM_TARGET("popcnt,bmi2")

namespace linebloom {
namespace {

inline bool IsOdd(uint64_t word) { return (std::popcount(word) & 1) != 0; }

inline uint32_t OddWords(const uint64_t* words) {
  uint32_t odd = 0;
#pragma GCC unroll 8
  for (int w = kWordsPerLine - 1; w >= 0; --w) {
    odd = 2 * odd + static_cast<uint32_t>(IsOdd(words[w]));
  }
  return odd;
}

#include "filter_policy/line/kernel/line_kernel_scalar.inc"

}  // namespace

const LineKernel kPopcntKernel = {"popcnt",        kProbePlain,
                                  kProbeSolved,    AddToPlainLines,
                                  RateOfPlainLine, SolveLine};

}  // namespace linebloom

LINEBLOOM_END_TARGET

#endif  // defined(__x86_64__)
