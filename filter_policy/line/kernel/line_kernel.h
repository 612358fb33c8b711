// The performance-critical operations on lines: one set of functions per
// instruction set, all with the same answers and the same bytes.
//
// Each set has its own file, line_kernel_NAME.cc, which selects its instruction
// set with a pragma; nothing else in the library needs compiler flags.
// Functions from headers are compiled for the baseline CPU, so the linker can't
// pick a copy that some CPU is unable to run.
//
// Rejected: Highway. It was slower (figures in docs/design.md), and Debian
// packages its dispatch only as a shared library, while liblinebloom.so must
// depend on RocksDB and the C++ runtime alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "filter_policy/line/kernel/unsolved_line.h"
#include "filter_policy/line/line.h"

namespace linebloom {

// Always inlined, because GCC 12 drops calls of functions that only prefetch.
__attribute__((always_inline)) inline void PrefetchLine(const uint8_t* line) {
  // Blocks are not always aligned, so a line may span two cache lines.
  __builtin_prefetch(line);
  __builtin_prefetch(line + kLineBytes - 1);
}

// A view of a filter's lines. The block's owner must outlive it.
struct FilterView {
  // The lines at `first` and their codes. The shape of solved ones is readable
  // (IsReadable).
  FilterView(const uint8_t* first, uint32_t count, const LineShape& of_lines);

  const uint8_t* LineAt(uint32_t line) const {
    return lines + size_t{line} * kLineBytes;
  }
  // For solved lines.
  const uint8_t* BalancedLineAt(uint64_t hash) const {
    return LineAt(
        BalancedLineOf(hash, line_count, codes[GroupOf(hash, line_count)]));
  }
  // Starts loading both solved lines that a hash may belong to.
  __attribute__((always_inline)) void PrefetchBothLines(uint64_t hash) const {
    const uint32_t line = LineOf(hash, line_count);
    PrefetchLine(LineAt(line));
    PrefetchLine(LineAt(OtherLine(line, SliceOf(hash, line_count))));
  }

  const uint8_t* lines;
  const uint8_t* codes = nullptr;  // of the lines' groups; null for plain lines
  uint32_t line_count;
  // Solved lines with this header, or a larger one, have 8 probes or more.
  uint32_t min_whole_round = 0;
  LineShape shape;
};

inline constexpr int kMaxBatch = 32;

// The functions that probe lines of one kind. Thread-safe.
struct ProbeFunctions {
  // Hashes a key without a seed and probes its line.
  bool (*key_may_match)(const FilterView& filter, const char* key, size_t size);
  // Probes for `count` hashes, at most kMaxBatch, and prefetches their lines.
  void (*hashes_may_match)(const FilterView& filter, const uint64_t* hashes,
                           int count, bool* may_match);
  bool (*hash_may_match)(const FilterView& filter, uint64_t hash);
};

// The most solved lines that a kernel builds at once.
inline constexpr int kMaxLanes = 8;

struct LineKernel {
  const char* name;  // as in LINEBLOOM_SIMD
  ProbeFunctions plain;
  ProbeFunctions solved;
  // How many solved lines are built at once, 1 to kMaxLanes.
  int lanes;
  // Tries to solve lines, 1 to `lanes`, each with the probes of its header or,
  // if that shares the plan, of a smaller one. Writes only solved lines.
  // Their first stages have the same width. The caller owns `space` and may
  // reuse it for any lines.
  void (*solve_lines)(const LineShape& shape,
                      std::span<UnsolvedLine* const> lines, SolveSpace* space);
};

// One from each line_kernel_NAME.cc; SupportedKernels() knows which of them
// this machine can run.
#if defined(__x86_64__)
extern const LineKernel kAvx512Kernel;
extern const LineKernel kAvx512fKernel;
extern const LineKernel kAvx2Kernel;
#elif defined(__aarch64__)
extern const LineKernel kNeonKernel;
#endif
extern const LineKernel kScalarKernel;

// The kernels that this machine can run, fastest first. The last one is the
// scalar kernel, the reference.
std::vector<const LineKernel*> SupportedKernels();

// The kernel for new readers and builders: the one named by LINEBLOOM_SIMD
// (scalar, neon, avx2, avx512f, avx512), else the fastest. Chosen once
// per process.
const LineKernel& ChosenKernel();

// An error message if LINEBLOOM_SIMD names a kernel that this machine lacks,
// listing those it has; otherwise empty. After an error ChosenKernel() is the
// fastest.
const std::string& SimdChoiceProblem();

}  // namespace linebloom
