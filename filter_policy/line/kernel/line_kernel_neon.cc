// 2 words per register, four registers per line. NEON is part of every AArch64
// CPU and counts the bits of 16 bytes at once.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "filter_policy/line/kernel/kernel_includes.inc"

static_assert(std::endian::native == std::endian::little,
              "this kernel loads words in native order");

LINEBLOOM_OPTIMIZE

namespace linebloom {
namespace {

constexpr int kPairs = kWordsPerLine / 2;

inline uint64x2_t LoadPair(const uint8_t* line, int pair) {
  return vreinterpretq_u64_u8(vld1q_u8(line + 16 * pair));
}

// Plain lines.

// Where each word's probe finds its bits in a round; negative shifts go right.
constexpr int64_t kShifts[kWordsPerLine] = {-16, -22, -28, -34,
                                            -40, -46, -52, -58};
// Each word's bit in a mask of words.
constexpr uint64_t kNames[kWordsPerLine] = {1, 2, 4, 8, 16, 32, 64, 128};

// The bits that one round probes in words 2 * pair and 2 * pair + 1, if `words`
// selects them.
inline uint64x2_t RoundPattern(int pair, uint64_t round, uint32_t words) {
  const uint64x2_t positions =
      vandq_u64(vshlq_u64(vdupq_n_u64(round), vld1q_s64(kShifts + 2 * pair)),
                vdupq_n_u64(63));
  const uint64x2_t active =
      vtstq_u64(vdupq_n_u64(words), vld1q_u64(kNames + 2 * pair));
  return vandq_u64(active,
                   vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(positions)));
}

// True if a probe of this round, in the selected words, finds its bit unset.
inline bool Rejects(const uint8_t* line, uint64_t round, uint32_t words) {
  uint64x2_t unset = vdupq_n_u64(0);
  for (int pair = 0; pair < kPairs; ++pair) {
    unset = vorrq_u64(unset, vbicq_u64(RoundPattern(pair, round, words),
                                       LoadPair(line, pair)));
  }
  return vmaxvq_u32(vreinterpretq_u32_u64(unset)) != 0;
}

inline bool PlainMayMatch(const LineShape& shape, const uint8_t* line,
                          uint64_t hash) {
  const RoundWords words = kPlainRoundWords[shape.base][PlainWindowOf(hash)];
  const uint64_t round = FirstRound(hash);
  if (Rejects(line, round, words.first)) return false;
  return words.second == 0 || !Rejects(line, SecondRound(round), words.second);
}

void AddToPlainLine(int probes, uint64_t hash, uint8_t* line) {
  const RoundWords words = kPlainRoundWords[probes][PlainWindowOf(hash)];
  const uint64_t first = FirstRound(hash);
  const uint64_t second = SecondRound(first);
  for (int pair = 0; pair < kPairs; ++pair) {
    uint64x2_t bits = LoadPair(line, pair);
    bits = vorrq_u64(bits, RoundPattern(pair, first, words.first));
    bits = vorrq_u64(bits, RoundPattern(pair, second, words.second));
    vst1q_u8(line + 16 * pair, vreinterpretq_u8_u64(bits));
  }
}

// Solved lines.

struct SolvedWords {
  explicit SolvedWords(const uint8_t* line) {
    for (int pair = 0; pair < kPairs; ++pair) all[pair] = LoadPair(line, pair);
  }
  uint64x2_t all[kPairs];
};

// Packs the lowest bits of 8 words, one bit per word.
inline uint32_t GatherLowest(const uint64x2_t* words) {
  uint64x2_t gathered = vdupq_n_u64(0);
  for (int pair = 0; pair < kPairs; ++pair) {
    const int64x2_t places = {2 * pair, 2 * pair + 1};
    gathered = vorrq_u64(
        gathered, vshlq_u64(vandq_u64(words[pair], vdupq_n_u64(1)), places));
  }
  return static_cast<uint32_t>(vaddvq_u64(gathered));
}

inline uint32_t HeaderOf(const SolvedWords& words) {
  uint64x2_t tops[kPairs];
  for (int pair = 0; pair < kPairs; ++pair) {
    tops[pair] = vshrq_n_u64(words.all[pair], 63);
  }
  return GatherLowest(tops);
}

// The number of bits set in each word.
inline uint64x2_t CountBits(uint64x2_t words) {
  return vpaddlq_u32(
      vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(words)))));
}

inline uint32_t Parities(const SolvedWords& words, uint64_t mask) {
  uint64x2_t counts[kPairs];
  for (int pair = 0; pair < kPairs; ++pair) {
    counts[pair] =
        CountBits(vandq_u64(words.all[pair], vdupq_n_u64(mask & kUnknowns)));
  }
  return GatherLowest(counts);
}

// A pair of words under the masks of a stage, whose places begin at `place`.
inline uint64x2_t UnderMasks(uint64x2_t words, uint32_t seed, int place) {
  const uint32x2_t spread = vld1_u32(kSpread + place);
  return vandq_u64(
      words, vshlq_n_u64(vmull_u32(vdup_n_u32(seed), spread), kSpreadShift));
}

inline uint32_t PairParities(const SolvedWords& words, uint32_t seed,
                             uint64_t columns) {
  uint64x2_t counts[kPairs];
  for (int pair = 0; pair < kPairs; ++pair) {
    counts[pair] = CountBits(
        vandq_u64(UnderMasks(words.all[pair], seed, 0), vdupq_n_u64(columns)));
  }
  return GatherLowest(counts);
}

// XORs the words of a half before counting their bits.
inline uint32_t HalfParities(const SolvedWords& words, uint32_t fours,
                             uint32_t last, const SolvedPlan& plan) {
  uint64x2_t counts[kPairs];
  for (int half = 0; half < 2; ++half) {
    const uint64x2_t* const pairs = words.all + 2 * half;
    const uint64x2_t of_fours = veorq_u64(UnderMasks(pairs[0], fours, 0),
                                          UnderMasks(pairs[1], fours, 2));
    const uint64x2_t of_last =
        veorq_u64(UnderMasks(pairs[0], last, 4 * half),
                  UnderMasks(pairs[1], last, 4 * half + 2));
    counts[half] =
        CountBits(vandq_u64(of_fours, vdupq_n_u64(plan.fours_columns)));
    counts[2 + half] =
        CountBits(vandq_u64(of_last, vdupq_n_u64(plan.last_columns)));
  }
  uint32_t parities = 0;
  for (int i = 0; i < kPairs; ++i) {
    parities |= static_cast<uint32_t>(vaddvq_u64(counts[i]) & 1) << (4 * i);
  }
  return parities;
}

// Building solved lines.

using Vector = uint64_t __attribute__((vector_size(16)));

constexpr int kLanes = 2;
constexpr int kRegisters = 32;

inline uint64x2_t InRegister(Vector words) {
  return reinterpret_cast<uint64x2_t>(words);
}

inline uint32_t NonZero(Vector words) {
  return static_cast<uint32_t>(words[0] != 0) |
         static_cast<uint32_t>(words[1] != 0) << 1;
}

inline Vector HasBit(Vector words, Vector bit) {
  return reinterpret_cast<Vector>(
      vtstq_u64(InRegister(words), InRegister(bit)));
}

template <int kBits>
inline Vector FieldsWith(Vector words, Vector bits) {
  const uint64x2_t a = InRegister(words);
  const uint64x2_t b = InRegister(bits);
  return reinterpret_cast<Vector>(
      kBits == 16 ? vreinterpretq_u64_u16(vtstq_u16(vreinterpretq_u16_u64(a),
                                                    vreinterpretq_u16_u64(b)))
                  : vreinterpretq_u64_u32(vtstq_u32(vreinterpretq_u32_u64(a),
                                                    vreinterpretq_u32_u64(b))));
}

inline Vector XorWhere(Vector where, Vector words, Vector other) {
  return words ^ (where & other);
}

inline Vector Odd(Vector words) {
  return Vector{} -
         (reinterpret_cast<Vector>(CountBits(InRegister(words))) & 1);
}

inline Vector MultiplyLow32(Vector words, uint32_t factor) {
  return reinterpret_cast<Vector>(
      vmull_u32(vmovn_u64(InRegister(words)), vdup_n_u32(factor)));
}

#include "filter_policy/line/kernel/probe_line.inc"
#include "filter_policy/line/kernel/solve_lines.inc"

}  // namespace

const LineKernel kNeonKernel = KernelNamed("neon");

}  // namespace linebloom

#endif  // defined(__aarch64__)
