// The reference in plain C++, for any CPU. Tests compare all other kernels with
// it.
#include "filter_policy/line/kernel/kernel_includes.inc"

namespace linebloom {
namespace {

inline bool IsOdd(uint64_t word) { return __builtin_parityll(word) != 0; }

// Folds `a` and `b`, each XORed with itself shifted by `bits`, into one word:
// `a` in the bits of `mask`, `b` in the others.
inline uint64_t AddUpTwo(uint64_t a, uint64_t b, int bits, uint64_t mask) {
  return ((a ^ a >> bits) & mask) | ((b ^ b << bits) & ~mask);
}

// Without an instruction that counts bits, folds the words into the bytes of a
// single word, and then those bytes in parallel.
inline uint32_t OddWords(const uint64_t* words) {
  constexpr uint64_t kHalves = 0x00000000ffffffff;
  constexpr uint64_t kQuarters = 0x0000ffff0000ffff;
  constexpr uint64_t kBytes = 0x00ff00ff00ff00ff;
  uint64_t halves[4];
  for (int w = 0; w < 4; ++w) {
    halves[w] = AddUpTwo(words[w], words[w + 4], 32, kHalves);
  }
  const uint64_t even = AddUpTwo(halves[0], halves[2], 16, kQuarters);
  const uint64_t odd = AddUpTwo(halves[1], halves[3], 16, kQuarters);
  uint64_t bytes = AddUpTwo(even, odd, 8, kBytes);
  bytes ^= bytes >> 4;
  bytes ^= bytes >> 2;
  bytes ^= bytes >> 1;
  // Moves the lowest bit of each byte to the top byte.
  constexpr uint64_t kLowest = 0x0101010101010101;
  return static_cast<uint32_t>((bytes & kLowest) * 0x0102040810204080 >> 56);
}

#include "filter_policy/line/kernel/line_kernel_scalar.inc"

}  // namespace

const LineKernel kScalarKernel = {"scalar",        kProbePlain,
                                  kProbeSolved,    AddToPlainLines,
                                  RateOfPlainLine, SolveLine};

}  // namespace linebloom
