// 4 words per register, two registers per line. AVX2 can't count bits; a table
// of 16 entries gives the parity of each half byte.
#if defined(__x86_64__)

#include "filter_policy/line/kernel/kernel_includes.inc"

LINEBLOOM_OPTIMIZE
LINEBLOOM_TARGET("avx2,bmi2,popcnt")

namespace linebloom {
namespace {

struct Halves {
  explicit Halves(const uint8_t* line)
      : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(line))),
        high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(line + 32))) {}

  __m256i low;   // words 0 to 3
  __m256i high;  // words 4 to 7
};

inline __m256i Repeat(uint64_t word) {
  return _mm256_set1_epi64x(static_cast<int64_t>(word));
}

// Plain lines.

// Eight probes: true if all of the line's bits at those of the lanes whose bit
// is in `lanes` are set. The top bit of a hash says in which half its bit is,
// three more in which word of 32 bits.
inline bool ProbesMatch(const Halves& line, __m256i hashes, uint32_t lanes) {
  const __m256i words = _mm256_srli_epi32(hashes, 28);
  const __m256i found = _mm256_castps_si256(_mm256_blendv_ps(
      _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(line.low, words)),
      _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(line.high, words)),
      _mm256_castsi256_ps(hashes)));
  // Moves the probed bit to the top, by 31 minus its place.
  const __m256i up = _mm256_srli_epi32(
      _mm256_slli_epi32(_mm256_xor_si256(hashes, _mm256_set1_epi32(-1)), 4),
      27);
  const auto set = static_cast<uint32_t>(
      _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(found, up))));
  return (~set & lanes) == 0;
}

inline bool PlainMayMatch(const LineShape& shape, const uint8_t* line,
                          uint64_t hash) {
  constexpr int kLanes = 8;
  const Halves bits(line);
  const __m256i hashes = _mm256_set1_epi32(static_cast<int>(hash));
  for (int first = 0;; first += kLanes) {
    const __m256i multipliers = _mm256_loadu_si256(
        reinterpret_cast<const __m256i*>(&kProbeMultipliers[first]));
    const int left = shape.base - first;
    const uint32_t lanes = left >= kLanes ? 0xff : (1U << left) - 1;
    if (!ProbesMatch(bits, _mm256_mullo_epi32(hashes, multipliers), lanes)) {
      return false;
    }
    if (left <= kLanes) return true;
  }
}

// Solved lines.

using SolvedWords = Halves;

inline uint32_t TopBits(__m256i low, __m256i high) {
  return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
                               _mm256_movemask_pd(_mm256_castsi256_pd(high))
                                   << 4);
}

inline uint32_t HeaderOf(const SolvedWords& words) {
  return TopBits(words.low, words.high);
}

// The parity of each half byte. The parities of the high halves of bytes are in
// the bytes of the low ones, in bit 0, or in bit 4 if `shift` is 4.
inline __m256i OddHalves(__m256i words, int shift) {
  const __m256i parity_of = _mm256_setr_epi8(
      0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0,  // for 0 to 15
      0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0);
  const __m256i halves =
      _mm256_and_si256(_mm256_xor_si256(words, _mm256_srli_epi64(words, 4)),
                       _mm256_set1_epi8(15));
  return _mm256_shuffle_epi8(_mm256_slli_epi64(parity_of, shift), halves);
}

// The words with an odd number of bits set. Sums both halves of the line at
// once: the high half's parities count 16 times in each sum.
inline uint32_t OddWords(__m256i low, __m256i high) {
  const __m256i sums =
      _mm256_sad_epu8(_mm256_or_si256(OddHalves(low, 0), OddHalves(high, 4)),
                      _mm256_setzero_si256());
  return TopBits(_mm256_slli_epi64(sums, 63), _mm256_slli_epi64(sums, 59));
}

inline uint32_t Parities(const SolvedWords& words, uint64_t mask) {
  const __m256i masks = Repeat(mask & kUnknowns);
  return OddWords(_mm256_and_si256(words.low, masks),
                  _mm256_and_si256(words.high, masks));
}

// The masks of a stage in four words, whose places begin at kPlace and repeat
// after kWidth words.
template <int kWidth, int kPlace = 0>
inline __m256i StageMasks(uint32_t seed, uint64_t columns) {
  constexpr auto kSpreadOf = [](int word) {
    return static_cast<int64_t>(kSpread[kPlace + word % kWidth]);
  };
  const __m256i spread = _mm256_setr_epi64x(kSpreadOf(0), kSpreadOf(1),
                                            kSpreadOf(2), kSpreadOf(3));
  return _mm256_and_si256(
      _mm256_slli_epi64(_mm256_mul_epu32(_mm256_set1_epi64x(seed), spread),
                        kSpreadShift),
      Repeat(columns));
}

inline uint32_t PairParities(const SolvedWords& words, uint32_t seed,
                             uint64_t columns) {
  const __m256i masks = StageMasks<2>(seed, columns);
  return OddWords(_mm256_and_si256(words.low, masks),
                  _mm256_and_si256(words.high, masks));
}

// All columns of the later stages are in the words' upper halves, so those of
// both halves of the line fit one register.
inline __m256i UpperHalves(__m256i low, __m256i high) {
  return _mm256_castps_si256(_mm256_shuffle_ps(
      _mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0xdd));
}

inline uint32_t HalfParities(const SolvedWords& words, uint32_t fours,
                             uint32_t last, const SolvedPlan& plan) {
  const __m256i masks = StageMasks<4>(fours, plan.fours_columns);
  const __m256i of_fours = UpperHalves(_mm256_and_si256(words.low, masks),
                                       _mm256_and_si256(words.high, masks));
  const __m256i of_last = UpperHalves(
      _mm256_and_si256(words.low, StageMasks<4>(last, plan.last_columns)),
      _mm256_and_si256(words.high, StageMasks<4, 4>(last, plan.last_columns)));
  // Words: fours in the low half and in the high one, the last stage likewise.
  const __m256i sums =
      _mm256_xor_si256(_mm256_permute2x128_si256(of_fours, of_last, 0x20),
                       _mm256_permute2x128_si256(of_fours, of_last, 0x31));
  const __m256i odd =
      _mm256_sad_epu8(OddHalves(sums, 0), _mm256_setzero_si256());
  const auto bits = static_cast<uint32_t>(
      _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(odd, 63))));
  const uint32_t spread = bits | bits << 6;  // _pdep_u32 is slow on Zen 1 and 2
  return (spread | spread << 3) & 0x1111;
}

// Building solved lines.

using Vector = uint64_t __attribute__((vector_size(32)));

constexpr int kLanes = 4;
constexpr int kRegisters = 20;  // spilling a few pays

inline __m256i InRegister(Vector words) {
  return reinterpret_cast<__m256i>(words);
}

inline uint32_t NonZero(Vector words) {
  const __m256i zero =
      _mm256_cmpeq_epi64(InRegister(words), _mm256_setzero_si256());
  return 15 ^
         static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(zero)));
}

inline Vector HasBit(Vector words, Vector bit) {
  return reinterpret_cast<Vector>(
      _mm256_cmpeq_epi64(InRegister(words & bit), InRegister(bit)));
}

template <int kBits>
inline Vector FieldsWith(Vector words, Vector bits) {
  const __m256i shared = InRegister(words & bits);
  return reinterpret_cast<Vector>(
      kBits == 16 ? _mm256_cmpeq_epi16(shared, InRegister(bits))
                  : _mm256_cmpeq_epi32(shared, InRegister(bits)));
}

inline Vector XorWhere(Vector where, Vector words, Vector other) {
  return words ^ (where & other);
}

inline Vector Odd(Vector words) {
  const __m256i sums =
      _mm256_sad_epu8(OddHalves(InRegister(words), 0), _mm256_setzero_si256());
  return Vector{} - (reinterpret_cast<Vector>(sums) & 1);
}

inline Vector MultiplyLow32(Vector words, uint32_t factor) {
  return reinterpret_cast<Vector>(
      _mm256_mul_epu32(InRegister(words), _mm256_set1_epi64x(factor)));
}

#include "filter_policy/line/kernel/probe_line.inc"
#include "filter_policy/line/kernel/solve_lines.inc"

}  // namespace

const LineKernel kAvx2Kernel = KernelNamed("avx2");

}  // namespace linebloom

LINEBLOOM_END_TARGET

#endif  // defined(__x86_64__)
