// Computes the sizes of filters of lines: linebloom's and RocksDB's Bloom
// filter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "filter_policy/line/line.h"
#include "tools/filter_size/answer.h"
#include "tools/filter_size/question.h"

namespace linebloom::tools {

// The properties of one kind of filter. `millibits` are thousandths of a bit
// per key, for 1 to 30 bits.
struct LineFilter {
  uint64_t overhead_bytes;  // of a filter, besides its lines
  // The fewest that reach a rate; nothing if 30 bits don't.
  std::function<std::optional<uint32_t>(double rate)> millibits_for;
  std::function<double(uint32_t millibits, uint64_t keys, uint64_t lines)> rate;
  // The number of probes in all lines; nothing if each line has its own.
  std::function<std::optional<int>(uint32_t millibits)> probes;
};

LineFilter LinebloomLines(LineKind line);

// Determined from filters that RocksDB builds.
absl::StatusOr<LineFilter> RocksDbBloomLines();

// Nothing if a rate is out of reach or not even a single line fits.
std::optional<FilterSize> SizeLineFilter(const LineFilter& filter,
                                         const Question& question);

}  // namespace linebloom::tools
