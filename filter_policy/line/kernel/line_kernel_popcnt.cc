// One word at a time, with an instruction that counts bits: for CPUs with
// POPCNT and BMI2 but no AVX2, and for virtual machines that hide AVX2.
#if defined(__x86_64__)

#include "filter_policy/line/kernel/kernel_includes.inc"

LINEBLOOM_TARGET("popcnt,bmi2")

namespace linebloom {
namespace {

#include "filter_policy/line/kernel/line_kernel_scalar.inc"

}  // namespace

const LineKernel kPopcntKernel = KernelNamed("popcnt");

}  // namespace linebloom

LINEBLOOM_END_TARGET

#endif  // defined(__x86_64__)
