// What is done with lines at the speed of the hardware: one set of functions
// for each instruction set, all with the same answers and the same bytes.
//
// Each set is in a file of its own, line_kernel_NAME.cc, compiled for its
// instruction set by a pragma inside that file; nothing else in the library
// needs compiler flags. Functions from headers stay compiled for every CPU, so
// the linker can't pick a copy that some CPU does not have.
//
// Rejected: Highway, for its speed (docs/benchmarks.md has the figures), and
// because Debian packages its dispatch as a shared library only, while
// liblinebloom.so has to depend on RocksDB and the C++ runtime alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "filter_policy/line/kernel/solve/solve_space.h"
#include "filter_policy/line/line.h"

namespace linebloom {

// A finished filter, as a reader sees it. The block's owner keeps the lines
// alive.
struct FilterView {
  const uint8_t* lines = nullptr;
  uint32_t line_count = 0;
  LineShape shape;
  uint64_t hash_seed = 0;

  const uint8_t* LineAt(uint64_t hash) const {
    return lines + static_cast<size_t>(LineOf(hash, line_count)) * kLineBytes;
  }
};

// The functions that probe lines of one kind. Thread-safe.
struct ProbeFunctions {
  // Hashes a key and probes its line.
  bool (*key_may_match)(const FilterView& filter, const char* key, size_t size);
  // Probes for `count` hashes; the caller has prefetched their lines.
  void (*hashes_may_match)(const FilterView& filter, const uint64_t* hashes,
                           int count, bool* may_match);
  // Probes a single line.
  bool (*line_may_match)(const LineShape& shape, const uint8_t* line,
                         uint64_t hash);
};

struct LineKernel {
  const char* name;  // as in LINEBLOOM_SIMD
  ProbeFunctions plain;
  ProbeFunctions solved;
  // Sets the bits of keys in the plain lines that they belong to.
  void (*add_to_plain_lines)(int probes, std::span<const uint64_t> hashes,
                             uint32_t line_count, uint8_t* lines);
  // The exact false-positive rate of a plain line; the same to the last digit
  // in every kernel, for it is written into the filter.
  double (*rate_of_plain_line)(const uint8_t* line, int probes);
  // Writes the solved line of these keys and returns its header; 0 for a line
  // that matches everything. The space is the caller's, for any number of lines
  // one after another.
  int (*solve_line)(const LineShape& shape, std::span<const uint64_t> hashes,
                    SolveSpace* space, uint8_t* line);
};

// The kernels that this machine can run, the fastest first; the last is the
// scalar one, which is the reference.
std::vector<const LineKernel*> SupportedKernels();

// The kernel for new readers and builders: the one that LINEBLOOM_SIMD names
// (scalar, popcnt, neon, avx2, avx512f, avx512), else the fastest. Chosen once
// in a process.
const LineKernel& ChosenKernel();

// What is wrong with LINEBLOOM_SIMD, naming what this machine has, or nothing.
// ChosenKernel() is then the fastest.
const std::string& SimdChoiceProblem();

}  // namespace linebloom
