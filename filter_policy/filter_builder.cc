#include "filter_policy/filter_builder.h"

#include "filter_policy/effort.h"
#include "filter_policy/hash_sort.h"
#include "filter_policy/line_builder.h"
#include "filter_policy/sizing.h"
#include "table/filter_block.h"

namespace linebloom {
namespace {

LineBuilder LineBuilderFor(const FilterSettings& settings) {
  if (settings.effort == BuildEffort::kNone) {
    return LineBuilder::Plain(PlainProbes(settings.millibits_per_key));
  }
  return LineBuilder::Searched(SearchPlanOf(settings.effort));
}

// Builds all lines from sorted hashes and returns the mean of their rates.
double BuildLines(std::span<const uint64_t> hashes, uint32_t lines,
                  LineBuilder* builder, uint8_t* to) {
  double sum_of_rates = 0;
  size_t begin = 0;
  for (uint32_t line = 0; line < lines; ++line) {
    size_t end = begin;
    while (end < hashes.size() && LineOf(hashes[end], lines) == line) ++end;
    sum_of_rates += builder->Build(hashes.subspan(begin, end - begin),
                                   to + static_cast<size_t>(line) * kLineBytes);
    begin = end;
  }
  return sum_of_rates / lines;
}

}  // namespace

FilterBlock BuildFilter(std::span<uint64_t> hashes,
                        const FilterSettings& settings) {
  if (hashes.empty()) return {};
  SortHashes(hashes);
  LineBuilder builder = LineBuilderFor(settings);
  FilterBlockInfo info;
  info.lines = LinesFor(hashes.size(), settings.millibits_per_key);
  const size_t lines_size = size_t{info.lines} * kLineBytes;
  const size_t size = lines_size + kFilterBlockOverhead;
  // Not make_unique: it would clear what is written anyway.
  std::unique_ptr<char[]> bytes(new char[size]);
  info.expected_false_positive_rate = BuildLines(
      hashes, info.lines, &builder, reinterpret_cast<uint8_t*>(bytes.get()));
  info.line_kind = static_cast<uint8_t>(builder.shape().kind);
  info.probes = builder.shape().probes;
  info.rotation_bits = builder.shape().rotation_bits;
  info.build_effort = static_cast<uint8_t>(settings.effort);
  info.asked_millibits = settings.millibits_per_key;
  info.keys = hashes.size();
  info.hash_seed = settings.hash_seed;
  WriteFilterBlockEnd(info, bytes.get() + lines_size);
  return {std::move(bytes), size};
}

}  // namespace linebloom
