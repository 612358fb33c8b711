// Sizing filters of lines: linebloom's, and RocksDB's Bloom filter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "filter_policy/line/line.h"
#include "tools/filter_size/answer.h"
#include "tools/filter_size/question.h"

namespace linebloom::tools {

// What makes one kind of them. `millibits` are thousandths of a bit per key, 1
// to 30 bits.
struct LineFilter {
  uint64_t overhead_bytes;  // of a filter, beside its lines
  // The fewest that reach a rate; nothing where 30 bits don't.
  std::function<std::optional<uint32_t>(double rate)> millibits_for;
  std::function<double(uint32_t millibits, uint64_t keys, uint64_t lines)> rate;
  // The number of probes of all lines; nothing where they have none.
  std::function<std::optional<int>(uint32_t millibits)> probes;
};

LineFilter LinebloomLines(LineKind line);

// What RocksDB says by the filters that it builds.
absl::StatusOr<LineFilter> RocksDbBloomLines();

// Nothing where a rate is out of reach or not even a line fits.
std::optional<FilterSize> SizeLineFilter(const LineFilter& filter,
                                         const Question& question);

}  // namespace linebloom::tools
