// The reference in plain C++, for any CPU. Tests compare all other kernels with
// it.
#include "filter_policy/line/kernel/kernel_includes.inc"

namespace linebloom {
namespace {

#include "filter_policy/line/kernel/line_kernel_scalar.inc"

}  // namespace

const LineKernel kScalarKernel = KernelNamed("scalar");

}  // namespace linebloom
