// 2 words in a register, a line in four. NEON is part of every AArch64; it
// counts the bits of 16 bytes at once.
#if defined(__aarch64__)

#include <arm_neon.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "filter_policy/line/hash.h"
#include "filter_policy/line/kernel/line_kernels.h"
#include "filter_policy/line/kernel/line_round_words.h"
#include "filter_policy/line/line_rate.h"
#include "filter_policy/line/little_endian.h"

static_assert(std::endian::native == std::endian::little,
              "words are loaded as they are");

namespace linebloom {
namespace {

constexpr int kPairs = kWordsPerLine / 2;

// Where the probe of each word reads its round: to the right, so negative.
constexpr int64_t kShifts[kWordsPerLine] = {-16, -22, -28, -34,
                                            -40, -46, -52, -58};
// Each word's bit in a mask of words.
constexpr uint64_t kNames[kWordsPerLine] = {1, 2, 4, 8, 16, 32, 64, 128};

// The bits that the probes of a round in `words` stand for, in words 2 * pair
// and 2 * pair + 1.
inline uint64x2_t RoundPattern(int pair, uint64_t round, uint32_t rotation,
                               uint32_t words) {
  const uint64x2_t read =
      vshlq_u64(vdupq_n_u64(round), vld1q_s64(kShifts + 2 * pair));
  const uint64x2_t positions =
      vandq_u64(vaddq_u64(read, vdupq_n_u64(rotation)), vdupq_n_u64(63));
  const uint64x2_t active =
      vtstq_u64(vdupq_n_u64(words), vld1q_u64(kNames + 2 * pair));
  return vandq_u64(active,
                   vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(positions)));
}

inline uint64x2_t LoadPair(const uint8_t* line, int pair) {
  return vreinterpretq_u64_u8(vld1q_u8(line + 16 * pair));
}

// Whether one of the probes of a round in `words` finds its bit unset.
inline bool Denies(const uint8_t* line, uint64_t round, uint32_t rotation,
                   uint32_t words) {
  uint64x2_t unset = vdupq_n_u64(0);
  for (int pair = 0; pair < kPairs; ++pair) {
    unset =
        vorrq_u64(unset, vbicq_u64(RoundPattern(pair, round, rotation, words),
                                   LoadPair(line, pair)));
  }
  return vmaxvq_u32(vreinterpretq_u32_u64(unset)) != 0;
}

bool PlainMayMatch(const LineShape& shape, const uint8_t* line, uint64_t hash) {
  const RoundWords words = kPlainRoundWords[shape.probes][PlainWindowOf(hash)];
  const uint64_t round = FirstRound(hash, 0);
  if (Denies(line, round, 0, words.first)) return false;
  return words.second == 0 ||
         !Denies(line, SecondRound(round), 0, words.second);
}

// As in line_kernel_avx512.cc.
bool SearchedMayMatch(const LineShape& shape, const uint8_t* line,
                      uint64_t hash) {
  const SearchedProbes at =
      SearchedProbesOf(shape, LoadLittleEndian<uint64_t>(line), hash);
  if (Denies(line, at.first_round, at.rotation, at.first_words)) return false;
  return !Denies(line, SecondRound(at.first_round), at.rotation,
                 at.second_words);
}

void AddToPlainLine(int probes, uint64_t hash, uint8_t* line) {
  const RoundWords words = kPlainRoundWords[probes][PlainWindowOf(hash)];
  const uint64_t first = FirstRound(hash, 0);
  const uint64_t second = SecondRound(first);
  for (int pair = 0; pair < kPairs; ++pair) {
    uint64x2_t bits = LoadPair(line, pair);
    bits = vorrq_u64(bits, RoundPattern(pair, first, 0, words.first));
    bits = vorrq_u64(bits, RoundPattern(pair, second, 0, words.second));
    vst1q_u8(line + 16 * pair, vreinterpretq_u8_u64(bits));
  }
}

#include "filter_policy/line/kernel/line_kernel_entries.inc"
#include "filter_policy/line/kernel/line_kernel_search.inc"

}  // namespace

const LineKernel kNeonKernel = {"neon",          kAskPlain,  kAskSearched,
                                AddToPlainLines, RateOfLine, kSearchWords};

}  // namespace linebloom

#endif  // defined(__aarch64__)
