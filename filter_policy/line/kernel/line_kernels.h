// The kernels by name, each in line_kernel_NAME.cc. Only those of this
// architecture exist; ask line_kernel.h which of them the machine can run.
#pragma once

#include "filter_policy/line/kernel/line_kernel.h"

namespace linebloom {

extern const LineKernel kScalarKernel;
#if defined(__x86_64__)
extern const LineKernel kAvx2Kernel;    // with POPCNT and BMI2
extern const LineKernel kAvx512Kernel;  // F, DQ and VPOPCNTDQ
#elif defined(__aarch64__)
extern const LineKernel kNeonKernel;
#endif

}  // namespace linebloom
