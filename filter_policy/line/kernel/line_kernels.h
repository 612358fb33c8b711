// The kernels, one from each line_kernel_NAME.cc. Only line_kernel.cc needs
// them: it knows which of them this machine can run.
#pragma once

#include "filter_policy/line/kernel/line_kernel.h"

namespace linebloom {

#if defined(__x86_64__)
extern const LineKernel kAvx512Kernel;
extern const LineKernel kAvx512fKernel;
extern const LineKernel kAvx2Kernel;
extern const LineKernel kPopcntKernel;
#elif defined(__aarch64__)
extern const LineKernel kNeonKernel;
#endif
extern const LineKernel kScalarKernel;

}  // namespace linebloom
