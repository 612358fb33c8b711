#include "filter_policy/line/kernel/line_kernel.h"

#include <cstdlib>
#include <string_view>

#include "filter_policy/line/solved_probes.h"

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
  std::string problem = "linebloom: LINEBLOOM_SIMD=" + std::string(wanted) +
                        ": this machine has ";
  for (const LineKernel* kernel : kernels) {
    if (wanted == std::string_view(kernel->name)) return {kernel, ""};
    problem +=
        (kernel == kernels.front() ? "" : ", ") + std::string(kernel->name);
  }
  return {kernels.front(), problem};
}

const Choice& KernelChoice() {
  static const auto* const choice = new Choice(Choose());
  return *choice;
}

}  // namespace

FilterView::FilterView(const uint8_t* first, uint32_t count,
                       const LineShape& of_lines)
    : lines(first), line_count(count), shape(of_lines) {
  if (shape.kind == LineKind::kPlain) return;
  codes = lines + size_t{line_count} * kLineBytes;
  const int missing = kWordsPerLine * kPerProbe - shape.base;  // 1 to 192
  min_whole_round = (missing + shape.step - 1) / shape.step;
}

std::vector<const LineKernel*> SupportedKernels() {
  std::vector<const LineKernel*> kernels;
#if defined(__x86_64__)
  // Every CPU with AVX2 has POPCNT and BMI2, but a hypervisor may hide them.
  const bool has_avx2 = __builtin_cpu_supports("avx2") &&
                        __builtin_cpu_supports("popcnt") &&
                        __builtin_cpu_supports("bmi2");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq");
  if (has_avx512 && __builtin_cpu_supports("avx512vpopcntdq")) {
    kernels.push_back(&kAvx512Kernel);
  }
  if (has_avx512) kernels.push_back(&kAvx512fKernel);
  if (has_avx2) kernels.push_back(&kAvx2Kernel);
#elif defined(__aarch64__)
  kernels.push_back(&kNeonKernel);  // part of every AArch64 CPU
#endif
  kernels.push_back(&kScalarKernel);
  return kernels;
}

const LineKernel& ChosenKernel() { return *KernelChoice().kernel; }

const std::string& SimdChoiceProblem() { return KernelChoice().problem; }

}  // namespace linebloom
