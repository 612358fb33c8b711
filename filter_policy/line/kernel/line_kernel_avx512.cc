// 8 words, or 8 seeds, in a register. With VPOPCNTDQ, which all of Intel's
// servers have from Ice Lake on and AMD's from Zen 4 on; older AVX-512 has no
// population count and takes the AVX2 kernel.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "filter_policy/line/hash.h"
#include "filter_policy/line/kernel/line_kernels.h"
#include "filter_policy/line/kernel/line_round_words.h"
#include "filter_policy/line/line_rate.h"
#include "filter_policy/line/little_endian.h"

#if defined(__clang__)
#pragma clang attribute push(                                                \
    __attribute__((target("avx512f,avx512dq,avx512vpopcntdq,bmi2,popcnt"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vpopcntdq,bmi2,popcnt")
#endif

namespace linebloom {
namespace {

// The bit that each word's probe of a round stands for. The CPU takes a
// rotation's count modulo 64, as the format does, and two rotations add up.
inline __m512i RoundPattern(uint64_t round, uint32_t rotation) {
  const __m512i shifts = _mm512_setr_epi64(16, 22, 28, 34, 40, 46, 52, 58);
  const __m512i positions =
      _mm512_srlv_epi64(_mm512_set1_epi64(static_cast<int64_t>(round)), shifts);
  return _mm512_rolv_epi64(
      _mm512_set1_epi64(static_cast<int64_t>(uint64_t{1} << rotation)),
      positions);
}

// Whether one of the probes in `words` finds its bit unset.
inline bool Denies(__m512i line, __m512i pattern, uint32_t words) {
  return _mm512_mask_testn_epi64_mask(static_cast<__mmask8>(words), line,
                                      pattern) != 0;
}

bool PlainMayMatch(const LineShape& shape, const uint8_t* line, uint64_t hash) {
  const __m512i bits = _mm512_loadu_si512(line);
  const RoundWords words = kPlainRoundWords[shape.probes][PlainWindowOf(hash)];
  const uint64_t round = FirstRound(hash, 0);
  if (Denies(bits, RoundPattern(round, 0), words.first)) return false;
  if (words.second == 0) return true;
  return !Denies(bits, RoundPattern(SecondRound(round), 0), words.second);
}

// Few missing keys come to the second round. Those that do, and the keys of the
// line, take it whether the line uses it or not: lines differ in that, and no
// CPU predicts them.
bool SearchedMayMatch(const LineShape& shape, const uint8_t* line,
                      uint64_t hash) {
  const __m512i bits = _mm512_loadu_si512(line);
  const SearchedProbes at =
      SearchedProbesOf(shape, LoadLittleEndian<uint64_t>(line), hash);
  if (Denies(bits, RoundPattern(at.first_round, at.rotation), at.first_words)) {
    return false;
  }
  return !Denies(bits, RoundPattern(SecondRound(at.first_round), at.rotation),
                 at.second_words);
}

void AddToPlainLine(int probes, uint64_t hash, uint8_t* line) {
  const RoundWords words = kPlainRoundWords[probes][PlainWindowOf(hash)];
  const uint64_t round = FirstRound(hash, 0);
  __m512i bits = _mm512_loadu_si512(line);
  bits = _mm512_mask_or_epi64(bits, words.first, bits, RoundPattern(round, 0));
  bits = _mm512_mask_or_epi64(bits, words.second, bits,
                              RoundPattern(SecondRound(round), 0));
  _mm512_storeu_si512(line, bits);
}

// Adds the probes of one round to 8 bases at once. The group's table has a row
// for each word.
inline void AddRound(__m512i rounds, uint32_t words, uint32_t stride,
                     uint64_t* group) {
  for (uint32_t left = words; left != 0; left &= left - 1) {
    const auto word = static_cast<uint32_t>(__builtin_ctz(left));
    uint64_t* const row = group + (word - 1) * stride;
    const __m512i positions =
        _mm512_srl_epi64(rounds, _mm_cvtsi32_si128(16 + 6 * word));
    const __m512i bits = _mm512_rolv_epi64(_mm512_set1_epi64(1), positions);
    _mm512_storeu_si512(row, _mm512_or_si512(_mm512_loadu_si512(row), bits));
  }
}

void MakePatterns(std::span<const uint64_t> hashes, int probes,
                  PatternTable* table) {
  std::fill(table->words().begin(), table->words().end(), 0);
  const __m512i second_multiplier =
      _mm512_set1_epi64(static_cast<int64_t>(kSecondRoundMultiplier));
  for (const uint64_t hash : hashes) {
    const GroupAndWindow at = GroupAndWindowOf(hash);
    const RoundWords words = kSearchedRoundWords[probes][at.window];
    uint64_t* const group = table->Group(static_cast<int>(at.group));
    const __m512i mixed =
        _mm512_set1_epi64(static_cast<int64_t>(hash * kFirstRoundMultiplier));
    __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    for (uint32_t base = 0; base < table->bases(); base += 8) {
      const __m512i first = _mm512_mullo_epi64(mixed, odd);
      AddRound(first, words.first, table->stride(), group + base);
      if (words.second != 0) {
        const __m512i second = _mm512_mullo_epi64(
            _mm512_xor_si512(first, _mm512_srli_epi64(first, 32)),
            second_multiplier);
        AddRound(second, words.second, table->stride(), group + base);
      }
      odd = _mm512_add_epi64(odd, _mm512_set1_epi64(16));
    }
  }
}

// Counts 8 seeds at a time, from `first_seed` on, a multiple of 8.
class SeedCounter {
 public:
  SeedCounter(const uint64_t* bits, const PatternTable& table, int group)
      : patterns_(table.Group(group)),
        stride_(table.stride()),
        rotation_bits_(table.rotation_bits()),
        lanes_(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)),
        base_of_lane_(_mm512_srl_epi64(
            lanes_, _mm_cvtsi32_si128(static_cast<int>(rotation_bits_)))) {
    for (int w = 0; w < kSearchedWords; ++w) {
      bits_[w] = _mm512_set1_epi64(static_cast<int64_t>(bits[w]));
    }
  }

  // Candidates as 64-bit numbers.
  __m512i Candidates(uint32_t first_seed) const {
    const __m512i seeds =
        _mm512_add_epi64(lanes_, _mm512_set1_epi64(first_seed));
    const __m512i rotations = _mm512_sll_epi64(
        _mm512_and_si512(seeds, _mm512_set1_epi64((1 << rotation_bits_) - 1)),
        _mm_cvtsi32_si128(static_cast<int>(kSeedBits - rotation_bits_)));
    const uint64_t* row = patterns_ + SeedBase(first_seed, rotation_bits_);
    __m512i count = _mm512_setzero_si512();
    for (int w = 0; w < kSearchedWords; ++w, row += stride_) {
      const __m512i patterns =
          _mm512_permutexvar_epi64(base_of_lane_, _mm512_loadu_si512(row));
      const __m512i joined =
          _mm512_or_si512(bits_[w], _mm512_rolv_epi64(patterns, rotations));
      count = _mm512_add_epi64(count, _mm512_popcnt_epi64(joined));
    }
    return _mm512_or_si512(_mm512_slli_epi64(count, kSeedBits), seeds);
  }

 private:
  const uint64_t* patterns_;
  uint32_t stride_;
  uint32_t rotation_bits_;
  __m512i lanes_;
  __m512i base_of_lane_;
  __m512i bits_[kSearchedWords];
};

Candidate BestCandidate(const uint64_t* bits, const PatternTable& table,
                        int group) {
  const SeedCounter counter(bits, table, group);
  __m512i best = counter.Candidates(0);
  for (uint32_t seed = 8; seed < kSeeds; seed += 8) {
    best = _mm512_min_epu64(best, counter.Candidates(seed));
  }
  return static_cast<Candidate>(_mm512_reduce_min_epu64(best));
}

void AllCandidates(const uint64_t* bits, const PatternTable& table, int group,
                   Candidate* candidates) {
  const SeedCounter counter(bits, table, group);
  for (uint32_t seed = 0; seed < kSeeds; seed += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(candidates + seed),
                     _mm512_cvtepi64_epi16(counter.Candidates(seed)));
  }
}

#include "filter_policy/line/kernel/line_kernel_entries.inc"

}  // namespace

const LineKernel kAvx512Kernel = {
    "avx512",        kAskPlain,  kAskSearched,
    AddToPlainLines, RateOfLine, {MakePatterns, BestCandidate, AllCandidates}};

}  // namespace linebloom

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // defined(__x86_64__)
