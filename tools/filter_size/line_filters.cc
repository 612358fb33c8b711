#include "tools/filter_size/line_filters.h"

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "filter_policy/filter/built_in_filter.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter_facts/built_in_filter_rate.h"
#include "filter_policy/line/builder/probe_count.h"
#include "filter_policy/line/line.h"
#include "filter_policy/sizing/expected_rate.h"
#include "filter_policy/sizing/sizing.h"
#include "rocksdb/filter_policy.h"
#include "tools/policies/built_filter.h"

namespace linebloom::tools {
namespace {

constexpr uint64_t kLineMillibits = 8 * kLineBytes * kMillibitsPerBit;
constexpr uint64_t kBuiltInTailBytes = 5;

// The largest number in [low, high] that `fits`, or nothing if `low` doesn't.
// If a number fits, so do all smaller ones.
std::optional<uint64_t> LargestThat(uint64_t low, uint64_t high,
                                    absl::FunctionRef<bool(uint64_t)> fits) {
  if (!fits(low)) return std::nullopt;
  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

struct Memory {
  uint64_t lines;
  uint64_t bytes;
};

// A filter stays below 4 GiB. More keys need several files, here of equal size.
Memory MemoryFor(const LineFilter& filter, uint64_t keys, uint32_t millibits) {
  const auto wanted = static_cast<unsigned __int128>(keys) * millibits;
  const auto files = static_cast<uint64_t>(
      wanted / (uint64_t{kMaxLines} * kLineMillibits) + 1);
  const uint64_t lines =
      files * LinesFor((keys + files - 1) / files, millibits);
  return {lines, lines * kLineBytes + files * filter.overhead_bytes};
}

std::optional<uint32_t> MillibitsFor(const LineFilter& filter,
                                     const Question& question) {
  if (question.rate.has_value()) return filter.millibits_for(*question.rate);
  if (question.bits_per_key.has_value()) {
    return std::lround(*question.bits_per_key * kMillibitsPerBit);
  }
  const auto most =
      LargestThat(kMinMillibits, kMaxMillibits, [&](uint64_t millibits) {
        return MemoryFor(filter, *question.keys, millibits).bytes <=
               *question.bytes;
      });
  if (!most.has_value()) return std::nullopt;
  return static_cast<uint32_t>(*most);
}

std::optional<uint64_t> KeysFor(const LineFilter& filter,
                                const Question& question, uint32_t millibits) {
  if (question.keys.has_value()) return question.keys;
  return LargestThat(1, 8 * *question.bytes, [&](uint64_t keys) {
    return MemoryFor(filter, keys, millibits).bytes <= *question.bytes;
  });
}

// A filter of a single key shows how many probes RocksDB uses.
absl::StatusOr<int> RocksDbProbes(uint32_t millibits) {
  const double bits = static_cast<double>(millibits) / kMillibitsPerBit;
  const absl::StatusOr<std::string> block =
      BuildFilterBlock(std::shared_ptr<const rocksdb::FilterPolicy>(
                           rocksdb::NewBloomFilterPolicy(bits)),
                       1);
  if (!block.ok()) return block.status();
  return ParseBuiltInFilter(block->data(), block->size()).probes;
}

// The minimum of bits for each number of probes from 1 on, found by bisection.
absl::StatusOr<std::vector<uint32_t>> FirstMillibitsByProbes() {
  const absl::StatusOr<int> most = RocksDbProbes(kMaxMillibits);
  if (!most.ok()) return most.status();
  std::vector<uint32_t> first = {kMinMillibits};
  for (int probes = 1; probes < *most; ++probes) {
    uint32_t below = first.back();
    uint32_t above = kMaxMillibits;
    while (above - below > 1) {
      const uint32_t middle = std::midpoint(below, above);
      const absl::StatusOr<int> found = RocksDbProbes(middle);
      if (!found.ok()) return found.status();
      (*found <= probes ? below : above) = middle;
    }
    first.push_back(above);
  }
  return first;
}

}  // namespace

LineFilter LinebloomLines(LineKind line) {
  LineFilter filter;
  filter.overhead_bytes = kFilterBlockOverhead;
  filter.millibits_for = [line](double rate) {
    return BitsForRate(line, rate);
  };
  filter.rate = [line](uint32_t millibits, uint64_t keys, uint64_t lines) {
    return ExpectedRate(line, millibits,
                        static_cast<double>(keys) / static_cast<double>(lines));
  };
  filter.probes = [line](uint32_t millibits) {
    return line == LineKind::kPlain ? std::optional(PlainProbes(millibits))
                                    : std::nullopt;
  };
  return filter;
}

absl::StatusOr<LineFilter> RocksDbBloomLines() {
  const auto first = FirstMillibitsByProbes();
  if (!first.ok()) return first.status();
  const auto probes = [first = *first](uint32_t millibits) {
    int found = 0;
    for (const uint32_t from : first) found += millibits >= from ? 1 : 0;
    return found;
  };
  LineFilter filter;
  filter.overhead_bytes = kBuiltInTailBytes;
  filter.rate = [probes](uint32_t millibits, uint64_t keys, uint64_t lines) {
    return BlockedBloomRate(keys, lines, probes(millibits));
  };
  filter.probes = probes;
  filter.millibits_for = [rate_of = filter.rate](double rate) {
    // The same number of keys per line as in a large filter.
    const auto too_few =
        LargestThat(kMinMillibits, kMaxMillibits, [&](uint64_t millibits) {
          return rate_of(static_cast<uint32_t>(millibits), kLineMillibits,
                         millibits) > rate;
        });
    if (!too_few.has_value()) return std::optional<uint32_t>(kMinMillibits);
    if (*too_few == kMaxMillibits) return std::optional<uint32_t>();
    return std::optional<uint32_t>(*too_few + 1);
  };
  return filter;
}

std::optional<FilterSize> SizeLineFilter(const LineFilter& filter,
                                         const Question& question) {
  const std::optional<uint32_t> millibits = MillibitsFor(filter, question);
  if (!millibits.has_value()) return std::nullopt;
  const std::optional<uint64_t> keys = KeysFor(filter, question, *millibits);
  if (!keys.has_value()) return std::nullopt;
  const Memory memory = MemoryFor(filter, *keys, *millibits);
  FilterSize size;
  size.keys = *keys;
  size.lines = memory.lines;
  size.bits = 8 * memory.bytes;
  size.rate = filter.rate(*millibits, *keys, memory.lines);
  size.probes = filter.probes(*millibits);
  return size;
}

}  // namespace linebloom::tools
