// 4 words, or 4 seeds, in a register, a line in two. AVX2 counts no bits; a
// table of 16 looked up by half bytes does (Mula's method), for 4 seeds in
// about the time in which POPCNT does it for one.
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
                            uint32_t words) {
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
  bool Denies(uint64_t round, uint32_t rotation, uint32_t words) const {
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
  const SearchedProbes at =
      SearchedProbesOf(shape, LoadLittleEndian<uint64_t>(line), hash);
  if (bits.Denies(at.first_round, at.rotation, at.first_words)) return false;
  return !bits.Denies(SecondRound(at.first_round), at.rotation,
                      at.second_words);
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

inline __m256i LoadWords(const uint64_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

inline void StoreWords(uint64_t* to, __m256i words) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
}

// The low 64 bits of the products; AVX2 multiplies 32 bits at a time.
inline __m256i Multiply(__m256i a, uint64_t b) {
  const __m256i low = _mm256_set1_epi64x(static_cast<int64_t>(b));
  const __m256i high = _mm256_srli_epi64(low, 32);
  const __m256i crossed =
      _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), low),
                       _mm256_mul_epu32(a, high));
  return _mm256_add_epi64(_mm256_mul_epu32(a, low),
                          _mm256_slli_epi64(crossed, 32));
}

// Adds the probes of one round to 4 bases at once. The group's table has a row
// for each word.
inline void AddRound(__m256i rounds, uint32_t words, uint32_t stride,
                     uint64_t* group) {
  for (uint32_t left = words; left != 0; left &= left - 1) {
    const auto word = static_cast<uint32_t>(__builtin_ctz(left));
    uint64_t* const row = group + (word - 1) * stride;
    const __m256i positions = _mm256_and_si256(
        _mm256_srl_epi64(rounds,
                         _mm_cvtsi32_si128(static_cast<int>(16 + 6 * word))),
        _mm256_set1_epi64x(63));
    const __m256i bits = _mm256_sllv_epi64(_mm256_set1_epi64x(1), positions);
    StoreWords(row, _mm256_or_si256(LoadWords(row), bits));
  }
}

void MakePatterns(std::span<const uint64_t> hashes, int probes,
                  PatternTable* table) {
  std::fill(table->words().begin(), table->words().end(), 0);
  for (const uint64_t hash : hashes) {
    const GroupAndWindow at = GroupAndWindowOf(hash);
    const RoundWords words = kSearchedRoundWords[probes][at.window];
    uint64_t* const group = table->Group(static_cast<int>(at.group));
    const auto first_of = [&](uint32_t base) {
      return static_cast<int64_t>(FirstRound(hash, base));
    };
    __m256i first =
        _mm256_setr_epi64x(first_of(0), first_of(1), first_of(2), first_of(3));
    // First rounds of neighbouring bases differ by twice that of base 0.
    const __m256i step =
        _mm256_set1_epi64x(static_cast<int64_t>(8 * FirstRound(hash, 0)));
    for (uint32_t base = 0; base < table->bases(); base += 4) {
      AddRound(first, words.first, table->stride(), group + base);
      if (words.second != 0) {
        const __m256i second =
            Multiply(_mm256_xor_si256(first, _mm256_srli_epi64(first, 32)),
                     kSecondRoundMultiplier);
        AddRound(second, words.second, table->stride(), group + base);
      }
      first = _mm256_add_epi64(first, step);
    }
  }
}

// The number of bits set in each byte.
inline __m256i CountBits(__m256i bytes) {
  const __m256i counts = _mm256_setr_epi8(
      0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  // for 0 to 15
      0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low_half = _mm256_set1_epi8(15);
  return _mm256_add_epi8(
      _mm256_shuffle_epi8(counts, _mm256_and_si256(bytes, low_half)),
      _mm256_shuffle_epi8(
          counts, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_half)));
}

// Adds three bits in each place: the sum's low bit, and the carry.
struct BitSums {
  __m256i low;
  __m256i carry;
};

inline BitSums AddBits(__m256i a, __m256i b, __m256i c) {
  const __m256i either = _mm256_xor_si256(a, b);
  return {_mm256_xor_si256(either, c),
          _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(either, c))};
}

// The number of bits set in 7 words, for 4 lanes of words at once. Adding the
// words up bit by bit first leaves 3 to count (Harley and Seal's method).
inline __m256i CountBitsOf7(const __m256i* words) {
  const BitSums a = AddBits(words[0], words[1], words[2]);
  const BitSums b = AddBits(a.low, words[3], words[4]);
  const BitSums c = AddBits(b.low, words[5], words[6]);
  const BitSums d = AddBits(a.carry, b.carry, c.carry);
  __m256i counts = CountBits(d.carry);
  counts = _mm256_add_epi8(_mm256_add_epi8(counts, counts), CountBits(d.low));
  counts = _mm256_add_epi8(_mm256_add_epi8(counts, counts), CountBits(c.low));
  return _mm256_sad_epu8(counts, _mm256_setzero_si256());
}

// How 4 neighbouring seeds rotate.
enum class Rotations {
  kNone,   // 4 bases, unrotated
  kWords,  // one base, by 0, 16, 32 and 48 bits: a single shuffle of bytes
  kBits,   // anything else
};

inline Rotations RotationsOf(const PatternTable& table) {
  const uint32_t bits = table.rotation_bits();
  if (bits == 0) return Rotations::kNone;
  return bits == 2 ? Rotations::kWords : Rotations::kBits;
}

// Counts 4 seeds at a time, from `first_seed` on, a multiple of 4.
template <Rotations kRotations>
class SeedCounter {
 public:
  SeedCounter(const uint64_t* bits, const PatternTable& table, int group)
      : patterns_(table.Group(group)),
        stride_(table.stride()),
        rotation_bits_(table.rotation_bits()) {
    for (int w = 0; w < kSearchedWords; ++w) {
      bits_[w] = _mm256_set1_epi64x(static_cast<int64_t>(bits[w]));
    }
    // Which of 4 loaded bases each lane takes, as pairs of 32 bits.
    const auto pair = [&](int lane) {
      const int64_t low = 2 * (lane >> rotation_bits_);
      return low | (low + 1) << 32;
    };
    base_of_lane_ = _mm256_setr_epi64x(pair(0), pair(1), pair(2), pair(3));
  }

  // Candidates as 64-bit numbers.
  __m256i Candidates(uint32_t first_seed) const {
    const __m256i seeds = _mm256_add_epi64(_mm256_setr_epi64x(0, 1, 2, 3),
                                           _mm256_set1_epi64x(first_seed));
    const __m256i rotations = _mm256_and_si256(
        _mm256_sll_epi64(seeds, _mm_cvtsi32_si128(static_cast<int>(
                                    kSeedBits - rotation_bits_))),
        _mm256_set1_epi64x(63));
    const __m256i back = _mm256_sub_epi64(_mm256_set1_epi64x(64), rotations);
    const uint64_t* row = patterns_ + SeedBase(first_seed, rotation_bits_);
    __m256i joined[kSearchedWords];
    for (int w = 0; w < kSearchedWords; ++w, row += stride_) {
      joined[w] = _mm256_or_si256(bits_[w], Rotated(row, rotations, back));
    }
    return _mm256_or_si256(_mm256_slli_epi64(CountBitsOf7(joined), kSeedBits),
                           seeds);
  }

 private:
  // A word of the patterns of 4 seeds.
  __m256i Rotated(const uint64_t* row, __m256i rotations, __m256i back) const {
    if constexpr (kRotations == Rotations::kNone) return LoadWords(row);
    if constexpr (kRotations == Rotations::kWords) {
      const __m256i by_words = _mm256_setr_epi8(
          0, 1, 2, 3, 4, 5, 6, 7, 14, 15, 8, 9, 10, 11, 12, 13,  //
          4, 5, 6, 7, 0, 1, 2, 3, 10, 11, 12, 13, 14, 15, 8, 9);
      return _mm256_shuffle_epi8(_mm256_set1_epi64x(static_cast<int64_t>(*row)),
                                 by_words);
    }
    const __m256i patterns =
        _mm256_permutevar8x32_epi32(LoadWords(row), base_of_lane_);
    return _mm256_or_si256(_mm256_sllv_epi64(patterns, rotations),
                           _mm256_srlv_epi64(patterns, back));
  }

  const uint64_t* patterns_;
  uint32_t stride_;
  uint32_t rotation_bits_;
  __m256i base_of_lane_;
  __m256i bits_[kSearchedWords];
};

template <Rotations kRotations>
Candidate BestOf(const uint64_t* bits, const PatternTable& table, int group) {
  const SeedCounter<kRotations> counter(bits, table, group);
  __m256i best = counter.Candidates(0);
  for (uint32_t seed = 4; seed < kSeeds; seed += 4) {
    best = _mm256_min_epu32(best, counter.Candidates(seed));
  }
  uint64_t lanes[4];
  StoreWords(lanes, best);
  return static_cast<Candidate>(*std::min_element(lanes, lanes + 4));
}

Candidate BestCandidate(const uint64_t* bits, const PatternTable& table,
                        int group) {
  switch (RotationsOf(table)) {
    case Rotations::kNone:
      return BestOf<Rotations::kNone>(bits, table, group);
    case Rotations::kWords:
      return BestOf<Rotations::kWords>(bits, table, group);
    case Rotations::kBits:
      break;
  }
  return BestOf<Rotations::kBits>(bits, table, group);
}

template <Rotations kRotations>
void AllOf(const uint64_t* bits, const PatternTable& table, int group,
           Candidate* candidates) {
  const SeedCounter<kRotations> counter(bits, table, group);
  for (uint32_t seed = 0; seed < kSeeds; seed += 4) {
    uint64_t lanes[4];
    StoreWords(lanes, counter.Candidates(seed));
    std::copy_n(lanes, 4, candidates + seed);
  }
}

void AllCandidates(const uint64_t* bits, const PatternTable& table, int group,
                   Candidate* candidates) {
  // `max`, the one effort with a beam, rotates nothing.
  if (RotationsOf(table) == Rotations::kNone) {
    AllOf<Rotations::kNone>(bits, table, group, candidates);
  } else {
    AllOf<Rotations::kBits>(bits, table, group, candidates);
  }
}

#include "filter_policy/line/kernel/line_kernel_entries.inc"

}  // namespace

const LineKernel kAvx2Kernel = {
    "avx2",          kAskPlain,  kAskSearched,
    AddToPlainLines, RateOfLine, {MakePatterns, BestCandidate, AllCandidates}};

}  // namespace linebloom

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // defined(__x86_64__)
