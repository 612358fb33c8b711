// Builds solved lines from the hashes of their keys, and chooses their shape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/kernel/unsolved_line.h"
#include "filter_policy/line/line.h"
#include "filter_policy/line/solved_probes.h"

namespace linebloom {

// The keys of a group, by line and slice before they are exchanged.
using SliceCounts = std::array<std::array<size_t, kSlices>, kLinesPerGroup>;

// The first of the codes that leave the lines of a group with the least sum of
// squared loads. More than 1,000 keys in a slice count as 1,000.
uint8_t ChooseCode(const SliceCounts& counts);

// Builds the solved lines of one filter. A line waits until there are as many
// of its kind as the kernel solves at once. Belongs to one thread.
//
// Memory: SolveSpace and the lines that wait, kMaxWaiting or as many as the
// filter has: at 10 bits per key 0.5 KB each, so at most 66 KB.
class LineBuilder {
 public:
  // `shape` must be of solved lines and readable (IsReadable).
  explicit LineBuilder(const LineShape& shape,
                       const LineKernel& kernel = ChosenKernel());

  // Builds the line for these keys, at the latest in Finish(), which has its 64
  // bytes written to `to`. They depend on the set of hashes alone, not on their
  // order or on other lines.
  void Add(std::span<const uint64_t> hashes, uint8_t* to);

  // Finishes all lines and returns the sum of their exact false-positive rates.
  double Finish();

 private:
  static constexpr int kMaxWaiting = 128;

  // Lines with the same stages and, unless they are tried again, the same
  // number of keys.
  struct Queue {
    UnsolvedLine* first = nullptr;
    int count = 0;
  };

  int TotalOf(int header) const { return shape_.base + shape_.step * header; }
  const SolvedPlan& PlanOf(int header) const {
    return SolvedPlanOf(TotalOf(header));
  }
  int LargestHeader(const UnsolvedLine& line) const;
  int NextHeader(const UnsolvedLine& line) const;
  void Wait(UnsolvedLine* line);
  void SolveFrom(Queue* queue);
  void Solve(std::span<UnsolvedLine* const> lines);
  void Complete(UnsolvedLine* line);

  LineShape shape_;
  const LineKernel* kernel_;
  SolveSpace space_;
  std::vector<std::unique_ptr<UnsolvedLine>> lines_;
  std::vector<UnsolvedLine*> free_;
  // By the number of keys, which decides the stages of the first try. A further
  // one waits with the fewest keys whose first has its stages.
  std::array<Queue, kMaxSolvedKeys + 1> queues_ = {};
  int waiting_ = 0;
  double sum_of_rates_ = 0;
};

// The shape for `keys` keys in `lines` lines (more than 0). The number of keys
// per line is Poisson distributed. The smallest header fits lines 5.5 standard
// deviations above the mean, one in 10^7, and the largest one lines 1.7 below
// it, one in 25. Fuller lines match everything; emptier ones have fewer probes
// than they have room for. Both cost less than coarser steps would.
LineShape SolvedShape(uint64_t keys, uint32_t lines);

}  // namespace linebloom
