// A whole line in one register, on CPUs whose AVX-512 can't count bits:
// Skylake, Cascade Lake and Cooper Lake. A table of 16 entries gives the parity
// of each half byte.
#if defined(__x86_64__)

#include "filter_policy/line/kernel/kernel_includes.inc"

LINEBLOOM_OPTIMIZE
LINEBLOOM_TARGET("avx512f,avx512bw,avx512dq,bmi2,popcnt")

namespace linebloom {
namespace {

inline __m512i CountBits(__m512i words) {
  const __m512i parity_of = _mm512_broadcast_i32x4(
      _mm_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
  constexpr int kXorThenAnd = 0x28;
  const __m512i halves = _mm512_ternarylogic_epi64(
      words, _mm512_srli_epi64(words, 4), _mm512_set1_epi8(15), kXorThenAnd);
  return _mm512_sad_epu8(_mm512_shuffle_epi8(parity_of, halves),
                         _mm512_setzero_si512());
}

#include "filter_policy/line/kernel/line_kernel_avx512.inc"

}  // namespace

const LineKernel kAvx512fKernel = KernelNamed("avx512f");

}  // namespace linebloom

LINEBLOOM_END_TARGET

#endif  // defined(__x86_64__)
