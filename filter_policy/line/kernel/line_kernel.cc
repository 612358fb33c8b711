#include "filter_policy/line/kernel/line_kernel.h"

#include <cstdlib>

#include "filter_policy/line/kernel/line_kernels.h"

namespace linebloom {
namespace {

struct Choice {
  const LineKernel* kernel;
  std::string problem;
};

Choice Choose() {
  const std::vector<const LineKernel*> kernels = SupportedKernels();
  const char* const wanted = std::getenv("LINEBLOOM_SIMD");
  if (wanted == nullptr || *wanted == '\0') return {kernels.front(), ""};
  std::string names;
  for (const LineKernel* kernel : kernels) {
    if (wanted == std::string(kernel->name)) return {kernel, ""};
    names += std::string(names.empty() ? "" : ", ") + kernel->name;
  }
  return {kernels.front(), "linebloom: LINEBLOOM_SIMD=" + std::string(wanted) +
                               ": this machine has " + names};
}

const Choice& TheChoice() {
  static const auto* const choice = new Choice(Choose());
  return *choice;
}

}  // namespace

std::vector<const LineKernel*> SupportedKernels() {
  std::vector<const LineKernel*> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vpopcntdq")) {
    kernels.push_back(&kAvx512Kernel);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
      __builtin_cpu_supports("bmi2")) {
    kernels.push_back(&kAvx2Kernel);
  }
#elif defined(__aarch64__)
  kernels.push_back(&kNeonKernel);  // every AArch64 has it
#endif
  kernels.push_back(&kScalarKernel);
  return kernels;
}

const LineKernel& ChosenKernel() { return *TheChoice().kernel; }

const std::string& SimdChoiceProblem() { return TheChoice().problem; }

}  // namespace linebloom
