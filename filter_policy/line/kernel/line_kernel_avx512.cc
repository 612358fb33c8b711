// A whole line in one register, its bits counted by VPOPCNTDQ: Intel servers
// since Ice Lake, AMD since Zen 4.
#if defined(__x86_64__)

#include "filter_policy/line/kernel/kernel_includes.inc"

LINEBLOOM_OPTIMIZE
LINEBLOOM_TARGET("avx512f,avx512bw,avx512dq,avx512vpopcntdq,bmi2,popcnt")

namespace linebloom {
namespace {

inline __m512i CountBits(__m512i words) { return _mm512_popcnt_epi64(words); }

#include "filter_policy/line/kernel/line_kernel_avx512.inc"

}  // namespace

const LineKernel kAvx512Kernel = KernelNamed("avx512");

}  // namespace linebloom

LINEBLOOM_END_TARGET

#endif  // defined(__x86_64__)
