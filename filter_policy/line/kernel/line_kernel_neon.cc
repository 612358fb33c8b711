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

// Eight probes: the top 6 bits of a hash select a byte of the line, which the
// CPU looks up in four registers, and the next 3 a bit of it.
inline bool PlainMayMatch(const LineShape& shape, const uint8_t* line,
                          uint64_t hash) {
  constexpr int kLanes = 8;
  const uint8x16x4_t bytes = {{vld1q_u8(line), vld1q_u8(line + 16),
                               vld1q_u8(line + 32), vld1q_u8(line + 48)}};
  const uint32x4_t repeated = vdupq_n_u32(static_cast<uint32_t>(hash));
  for (int first = 0;; first += kLanes) {
    // The upper halves of the products have all 9 bits that count.
    const uint16x8_t hashes = vcombine_u16(
        vshrn_n_u32(vmulq_u32(repeated, vld1q_u32(&kProbeMultipliers[first])),
                    16),
        vshrn_n_u32(
            vmulq_u32(repeated, vld1q_u32(&kProbeMultipliers[first + 4])), 16));
    const uint8x8_t found =
        vqtbl4_u8(bytes, vshrn_n_u16(vshrq_n_u16(hashes, 2), 8));
    const uint8x8_t places =
        vand_u8(vmovn_u16(vshrq_n_u16(hashes, 7)), vdup_n_u8(7));
    const uint8x8_t probed = vshl_u8(vdup_n_u8(1), vreinterpret_s8_u8(places));
    const uint64_t set =
        vget_lane_u64(vreinterpret_u64_u8(vtst_u8(found, probed)), 0);
    const int left = shape.base - first;
    const uint64_t lanes =
        left >= kLanes ? ~uint64_t{0} : (uint64_t{1} << 8 * left) - 1;
    if ((~set & lanes) != 0) return false;
    if (left <= kLanes) return true;
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
