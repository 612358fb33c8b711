// What is done with lines at the speed of the hardware: one set of functions
// for each instruction set, all with the same answers and the same bytes.
//
// Each set stands in a file of its own, line_kernel_NAME.cc, compiled for its
// instruction set by a pragma inside that file; nothing else in the library
// needs compiler flags. Functions from headers stay compiled for every CPU, so
// the linker can't pick a copy that some CPU does not have.
//
// Rejected: Highway, for its speed (docs/benchmarks.md has the figures), and
// because Debian packages its dispatch as a shared library only, while
// liblinebloom.so has to depend on RocksDB and the C++ runtime alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "filter_policy/line/line.h"
#include "filter_policy/line/line_probes.h"

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

// The functions that ask lines of one kind. Thread-safe.
struct AskFunctions {
  // Hashes a key and asks its line.
  bool (*key_may_match)(const FilterView& filter, const char* key, size_t size);
  // Asks `count` hashes; the caller has prefetched their lines.
  void (*hashes_may_match)(const FilterView& filter, const uint64_t* hashes,
                           int count, bool* may_match);
  // Asks a single line.
  bool (*line_may_match)(const LineShape& shape, const uint8_t* line,
                         uint64_t hash);
};

// The patterns of a line's groups: for each group and word, the bits that the
// group's keys set for each base, unrotated.
class PatternTable {
 public:
  static constexpr uint32_t kMostAtOnce = 8;

  explicit PatternTable(uint32_t rotation_bits)
      : rotation_bits_(rotation_bits),
        bases_(1u << (kSeedBits - rotation_bits)),
        stride_(std::max(bases_, kMostAtOnce)),
        words_(size_t{kGroups} * kSearchedWords * stride_ + kMostAtOnce) {}

  uint32_t rotation_bits() const { return rotation_bits_; }
  uint32_t bases() const { return bases_; }
  // From one word of a group to the next. A kernel may load kMostAtOnce bases
  // from any of them on; what it loads of the next word it must not use.
  uint32_t stride() const { return stride_; }

  uint64_t* Group(int group) {
    return words_.data() + size_t{kSearchedWords} * stride_ * group;
  }
  const uint64_t* Group(int group) const {
    return words_.data() + size_t{kSearchedWords} * stride_ * group;
  }
  std::span<uint64_t> words() { return words_; }

 private:
  uint32_t rotation_bits_;
  uint32_t bases_;
  uint32_t stride_;
  std::vector<uint64_t> words_;
};

// How many bits a line would have set with a seed, and the seed: the number of
// bits above the 6 bits of the seed, so that the least of several is the best,
// and of equally good ones the one with the lowest seed.
using Candidate = uint16_t;

// The functions that search for seeds.
struct SearchFunctions {
  // Sets the patterns of all groups from the hashes of a line's keys. The
  // table is cleared.
  void (*make_patterns)(std::span<const uint64_t> hashes, int probes,
                        PatternTable* table);
  // The best seed for `group` on top of `bits` (7 words).
  Candidate (*best_candidate)(const uint64_t* bits, const PatternTable& table,
                              int group);
  // All 64 of them, by seed.
  void (*all_candidates)(const uint64_t* bits, const PatternTable& table,
                         int group, Candidate* candidates);
};

struct LineKernel {
  const char* name;  // as in LINEBLOOM_SIMD
  AskFunctions plain;
  AskFunctions solved;
  // Sets the bits of keys in the plain lines that they belong to.
  void (*add_to_plain_lines)(int probes, std::span<const uint64_t> hashes,
                             uint32_t line_count, uint8_t* lines);
  // The exact false-positive rate of a line with these words of bits; the same
  // to the last digit in every kernel, for it is written into the filter.
  double (*rate_of_line)(std::span<const uint64_t> words, int probes);
  SearchFunctions search;
};

// The kernels that this machine can run, the fastest first; the last is the
// scalar one, which is the reference.
std::vector<const LineKernel*> SupportedKernels();

// The kernel for new readers and builders: the one that LINEBLOOM_SIMD names
// (scalar, neon, avx2, avx512), else the fastest. Chosen once in a process.
const LineKernel& ChosenKernel();

// What is wrong with LINEBLOOM_SIMD, naming what this machine has, or nothing.
// ChosenKernel() is then the fastest.
const std::string& SimdChoiceProblem();

}  // namespace linebloom
