#include "filter_policy/line/line_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace linebloom {
namespace {

using Loads = std::array<int32_t, kLinesPerGroup>;

int32_t Product(const Loads& a, const Loads& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0);
}

// A counting sort by fraction, the largest first.
void SortKeys(std::span<const uint64_t> hashes, UnsolvedLine* line) {
  std::array<int, kPerProbe + 1> next = {};
  for (const uint64_t hash : hashes) ++next[FastFractionOf(hash)];
  int before = 0;
  for (int fraction = kPerProbe; fraction >= 0; --fraction) {
    const int count = next[fraction];
    next[fraction] = before;
    before += count;
    line->with_fraction_from[fraction] = static_cast<uint8_t>(before);
  }
  line->hashes.resize(hashes.size());
  for (const uint64_t hash : hashes) {
    line->hashes[next[FastFractionOf(hash)]++] = hash;
  }
}

}  // namespace

// With x the bits of a code, the loads are `loads` + sum of x_i * gained_i, so
// the sum of their squares is a quadratic form in x. Each bit in turn doubles
// the codes for which it is known.
uint8_t ChooseCode(const SliceCounts& counts) {
  // Larger counts are of chosen keys, and would overflow.
  const auto keys = [&counts](uint32_t line, uint32_t slice) {
    return static_cast<int32_t>(std::min<size_t>(counts[line][slice], 1000));
  };
  Loads loads = {};
  std::array<Loads, kSlices> gained;  // by each line, if it exchanges the slice
  for (uint32_t slice = 0; slice < kSlices; ++slice) {
    for (uint32_t line = 0; line < kLinesPerGroup; ++line) {
      loads[line] += keys(line, slice);
      gained[slice][line] =
          keys(OtherLine(line, slice), slice) - keys(line, slice);
    }
  }
  std::array<int32_t, 1 << kSlices> squares = {};  // more than those of code 0
  for (size_t slice = 0; slice < kSlices; ++slice) {
    const size_t known = size_t{1} << slice;
    // The slice's addition to the sum of squares of each known code.
    std::array<int32_t, 1 << kSlices> added;
    added[0] = 2 * Product(loads, gained[slice]) +
               Product(gained[slice], gained[slice]);
    for (size_t i = 0; i < slice; ++i) {
      const int32_t both = 2 * Product(gained[i], gained[slice]);
      for (size_t code = 0; code < size_t{1} << i; ++code) {
        added[code + (size_t{1} << i)] = added[code] + both;
      }
    }
    for (size_t code = 0; code < known; ++code) {
      squares[known + code] = squares[code] + added[code];
    }
  }
  // Not std::min_element, which compilers don't vectorize.
  int32_t least = squares[0];
  for (const int32_t square : squares) least = std::min(least, square);
  return static_cast<uint8_t>(std::ranges::find(squares, least) -
                              squares.begin());
}

LineBuilder::LineBuilder(const LineShape& shape, const LineKernel& kernel)
    : shape_(shape), kernel_(&kernel) {}

void LineBuilder::Add(std::span<const uint64_t> hashes, uint8_t* to) {
  if (free_.empty()) {
    lines_.push_back(std::make_unique<UnsolvedLine>());
    free_.push_back(lines_.back().get());
  }
  UnsolvedLine* const line = free_.back();
  free_.pop_back();
  line->to = to;
  line->tries = 0;
  line->header = 0;
  if (hashes.size() <= kMaxSolvedKeys) {
    SortKeys(hashes, line);
    line->header = LargestHeader(*line);
  }
  Wait(line);
}

double LineBuilder::Finish() {
  while (waiting_ > 0) SolveFrom(queues_.data());
  return std::exchange(sum_of_rates_, 0);
}

// The largest header whose probes fit the line's unknowns, judged by number
// alone; 0 if none does.
int LineBuilder::LargestHeader(const UnsolvedLine& line) const {
  const auto fits = [&](int header) {
    return line.Probes(TotalOf(header)) <= kLineUnknowns;
  };
  const int max_probes = kPerProbe * kLineUnknowns / std::max(line.keys(), 1);
  int header =
      std::clamp((max_probes - shape_.base) / shape_.step + 1, 0, kMaxHeader);
  while (header > 0 && !fits(header)) --header;
  while (header < kMaxHeader && fits(header + 1)) ++header;
  return header;
}

// Keys may be chosen to contradict each other. So after this many tries with
// headers close to the first one, each further try halves the header.
constexpr int kTriesNearby = 4;

// The next header to try for a line that can't be solved with its own.
int LineBuilder::NextHeader(const UnsolvedLine& line) const {
  const SolvedPlan& plan = PlanOf(line.header);
  // All headers down to this one share the plan, so they share the stages.
  int lowest = line.header;
  while (lowest > 1 && PlanOf(lowest - 1) == plan) --lowest;
  // Plans with the same first stage fail too.
  while (line.outcome == UnsolvedLine::Outcome::kFirstStageFails &&
         lowest > 1 && PlanOf(lowest - 1).first_width == plan.first_width &&
         PlanOf(lowest - 1).rounds == plan.rounds) {
    --lowest;
  }
  return line.tries < kTriesNearby ? lowest - 1
                                   : std::min(line.header / 2, lowest - 1);
}

void LineBuilder::Wait(UnsolvedLine* line) {
  if (line->header == 0) {
    std::fill_n(line->to, kLineBytes, 0);
    return Complete(line);
  }
  const int stages = TotalOf(line->header) / (2 * kPerProbe);
  Queue& queue =
      queues_[std::max(line->keys(), kMaxSolvedKeys / (stages + 1) + 1)];
  line->next = std::exchange(queue.first, line);
  ++queue.count;
  ++waiting_;
  if (queue.count == kernel_->lanes) {
    SolveFrom(&queue);
  } else if (waiting_ == kMaxWaiting) {
    SolveFrom(queues_.data());
  }
}

// Solves a batch of lines, of this queue and, if they are too few, of the next
// ones.
void LineBuilder::SolveFrom(Queue* queue) {
  std::array<UnsolvedLine*, kMaxLanes> lines;
  int count = 0;
  while (count < kernel_->lanes && waiting_ > 0) {
    while (queue->first == nullptr) ++queue;
    UnsolvedLine* const line = queue->first;
    if (count > 0 && PlanOf(line->header).first_width !=
                         PlanOf(lines[0]->header).first_width) {
      break;
    }
    lines[count++] = line;
    queue->first = line->next;
    --queue->count;
    --waiting_;
  }
  Solve({lines.data(), static_cast<size_t>(count)});
}

void LineBuilder::Solve(std::span<UnsolvedLine* const> lines) {
  // A single line would leave the other lanes idle; scalar code is faster (149
  // instead of 166 ns per key for 20 keys with AVX-512).
  const LineKernel& kernel = lines.size() == 1 ? kScalarKernel : *kernel_;
  kernel.solve_lines(shape_, lines, &space_);
  for (UnsolvedLine* line : lines) {
    if (line->outcome == UnsolvedLine::Outcome::kSolved) {
      Complete(line);
    } else {
      line->header = NextHeader(*line);
      ++line->tries;
      Wait(line);
    }
  }
}

// The sum is exact, in whatever order lines come: rates are multiples of 2^-37.
void LineBuilder::Complete(UnsolvedLine* line) {
  sum_of_rates_ +=
      line->header == 0 ? 1 : SolvedLineRate(TotalOf(line->header));
  free_.push_back(line);
}

// Integers only, so that the same keys give the same bytes on every CPU.
LineShape SolvedShape(uint64_t keys, uint32_t lines) {
  constexpr int64_t kPerKey = 256;
  constexpr int64_t kRoom = int64_t{kLineUnknowns} * kPerProbe * kPerKey;
  constexpr uint64_t kMaxMean = kMaxHeader;  // larger means change nothing
  const int64_t mean =
      static_cast<int64_t>(std::min(keys, kMaxMean * lines) * kPerKey / lines);
  // 16 times the standard deviation, which is the square root of the mean.
  const auto sixteen_sd =
      static_cast<int64_t>(std::sqrt(static_cast<double>(mean)));
  const int64_t most = mean + sixteen_sd * 16 * 11 / 2;
  const int64_t fewest =
      std::max(mean - sixteen_sd * 16 * 17 / 10, 8 * kPerKey);

  constexpr int64_t kReserve = 10;  // thirty-seconds, for unlucky lines
  LineShape shape;
  shape.base = static_cast<uint8_t>(std::clamp<int64_t>(
      kRoom / std::max(most, kPerKey) - kReserve, kMinSolvedBase, UINT8_MAX));
  const int64_t range = kRoom / fewest - shape.base;
  shape.step = static_cast<uint8_t>(std::clamp<int64_t>(
      (range + kMaxHeader - 1) / kMaxHeader, 1, kMaxSolvedStep));
  return shape;
}

}  // namespace linebloom
