// 4 words in a register, a line in two. AVX2 counts no bits; POPCNT does, word
// by word, so the search is that of plain words.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

#include "filter_policy/hash.h"
#include "filter_policy/line_kernels.h"
#include "filter_policy/line_round_words.h"
#include "table/little_endian.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi2,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi2,popcnt")
#endif

namespace linebloom {
namespace {

// Half a line: words 0 to 3 or 4 to 7.
struct Half {
  __m256i shifts;  // where each word's probe reads its round
  __m256i names;   // each word's bit in a mask of words
};

inline Half LowHalf() {
  return {_mm256_setr_epi64x(16, 22, 28, 34), _mm256_setr_epi64x(1, 2, 4, 8)};
}

inline Half HighHalf() {
  return {_mm256_setr_epi64x(40, 46, 52, 58),
          _mm256_setr_epi64x(16, 32, 64, 128)};
}

// The bits that the probes of a round in `words` stand for.
inline __m256i RoundPattern(const Half& half, uint64_t round, uint32_t rotation,
                            uint8_t words) {
  const __m256i positions = _mm256_and_si256(
      _mm256_add_epi64(
          _mm256_srlv_epi64(_mm256_set1_epi64x(static_cast<int64_t>(round)),
                            half.shifts),
          _mm256_set1_epi64x(rotation)),
      _mm256_set1_epi64x(63));
  const __m256i active = _mm256_cmpeq_epi64(
      _mm256_and_si256(_mm256_set1_epi64x(words), half.names), half.names);
  return _mm256_and_si256(active,
                          _mm256_sllv_epi64(_mm256_set1_epi64x(1), positions));
}

struct Line {
  explicit Line(const uint8_t* line)
      : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(line))),
        high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(line + 32))) {}

  // Whether one of the probes of a round in `words` finds its bit unset.
  bool Denies(uint64_t round, uint32_t rotation, uint8_t words) const {
    const __m256i unset_low = _mm256_andnot_si256(
        low, RoundPattern(LowHalf(), round, rotation, words));
    const __m256i unset_high = _mm256_andnot_si256(
        high, RoundPattern(HighHalf(), round, rotation, words));
    const __m256i unset = _mm256_or_si256(unset_low, unset_high);
    return _mm256_testz_si256(unset, unset) == 0;
  }

  __m256i low;
  __m256i high;
};

bool PlainMayMatch(const LineShape& shape, const uint8_t* line, uint64_t hash) {
  const Line bits(line);
  const RoundWords words = kPlainRoundWords[shape.probes][PlainWindowOf(hash)];
  const uint64_t round = FirstRound(hash, 0);
  if (bits.Denies(round, 0, words.first)) return false;
  return words.second == 0 || !bits.Denies(SecondRound(round), 0, words.second);
}

// As in line_kernel_avx512.cc.
bool SearchedMayMatch(const LineShape& shape, const uint8_t* line,
                      uint64_t hash) {
  const Line bits(line);
  const uint64_t seeds = LoadLittleEndian<uint64_t>(line);
  const GroupAndWindow at = GroupAndWindowOf(hash);
  const RoundWords words =
      kSearchedRoundWords[seeds >> kSearchedProbesShift][at.window];
  const uint32_t seed = seeds >> (kSeedBits * at.group) & (kSeeds - 1);
  const uint32_t rotation = SeedRotation(seed, shape.rotation_bits);
  const uint64_t round = FirstRound(hash, SeedBase(seed, shape.rotation_bits));
  if (bits.Denies(round, rotation, words.first)) return false;
  return !bits.Denies(SecondRound(round), rotation, words.second);
}

void AddToPlainLine(int probes, uint64_t hash, uint8_t* line) {
  const RoundWords words = kPlainRoundWords[probes][PlainWindowOf(hash)];
  const uint64_t first = FirstRound(hash, 0);
  const uint64_t second = SecondRound(first);
  const Line old(line);
  const auto add = [&](const Half& half, __m256i bits, uint8_t* to) {
    bits = _mm256_or_si256(bits, RoundPattern(half, first, 0, words.first));
    bits = _mm256_or_si256(bits, RoundPattern(half, second, 0, words.second));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bits);
  };
  add(LowHalf(), old.low, line);
  add(HighHalf(), old.high, line + 32);
}

#include "filter_policy/line_kernel_ask.inc"
#include "filter_policy/line_kernel_search.inc"

}  // namespace

const LineKernel kAvx2Kernel = {"avx2", kAskPlain, kAskSearched, AddToPlainLine,
                                kSearchWords};

}  // namespace linebloom

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // defined(__x86_64__)
