#include "filter_policy/filter_builder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "filter_policy/effort.h"
#include "filter_policy/line_builder.h"
#include "filter_policy/line_partition.h"
#include "filter_policy/sizing.h"
#include "table/filter_block.h"

namespace linebloom {
namespace {

struct Lines {
  LineShape shape;
  double rate;  // the mean of the lines' exact rates
};

// Keys go straight to their lines.
Lines BuildPlainLines(const HashList& hashes, int probes,
                      const LineKernel& kernel, uint32_t count, uint8_t* to) {
  std::fill_n(to, size_t{count} * kLineBytes, 0);
  hashes.VisitAll([&](std::span<const uint64_t> chunk) {
    kernel.add_to_plain_lines(probes, chunk, count, to);
  });
  double sum_of_rates = 0;
  for (uint32_t line = 0; line < count; ++line) {
    sum_of_rates +=
        PlainLineRate(to + size_t{line} * kLineBytes, probes, kernel);
  }
  return {{LineKind::kPlain, static_cast<uint8_t>(probes), 0},
          sum_of_rates / count};
}

Lines BuildSearchedLines(const HashList& hashes, const SearchPlan& plan,
                         const LineKernel& kernel, uint32_t count,
                         uint8_t* to) {
  LinePartition partition(hashes, count);
  LineBuilder builder = LineBuilder::Searched(plan, kernel);
  double sum_of_rates = 0;
  for (uint32_t line = 0; line < count; ++line) {
    sum_of_rates +=
        builder.Build(partition.Next(), to + size_t{line} * kLineBytes);
  }
  return {builder.shape(), sum_of_rates / count};
}

Lines BuildLines(const HashList& hashes, const FilterSettings& settings,
                 const LineKernel& kernel, uint32_t count, uint8_t* to) {
  if (settings.effort == BuildEffort::kNone) {
    return BuildPlainLines(hashes, PlainProbes(settings.millibits_per_key),
                           kernel, count, to);
  }
  return BuildSearchedLines(hashes, SearchPlanOf(settings.effort), kernel,
                            count, to);
}

}  // namespace

FilterBlock BuildFilter(const HashList& hashes, const FilterSettings& settings,
                        const LineKernel& kernel) {
  if (hashes.empty()) return {};
  FilterBlockInfo info;
  info.lines = LinesFor(hashes.size(), settings.millibits_per_key);
  const size_t lines_size = size_t{info.lines} * kLineBytes;
  const size_t size = lines_size + kFilterBlockOverhead;
  // Not make_unique: it would clear what is written anyway.
  std::unique_ptr<char[]> bytes(new char[size]);
  const Lines built = BuildLines(hashes, settings, kernel, info.lines,
                                 reinterpret_cast<uint8_t*>(bytes.get()));
  info.expected_false_positive_rate = built.rate;
  info.line_kind = static_cast<uint8_t>(built.shape.kind);
  info.probes = built.shape.probes;
  info.rotation_bits = built.shape.rotation_bits;
  info.build_effort = static_cast<uint8_t>(settings.effort);
  info.asked_millibits = settings.millibits_per_key;
  info.keys = hashes.size();
  info.hash_seed = settings.hash_seed;
  WriteFilterBlockEnd(info, bytes.get() + lines_size);
  return {std::move(bytes), size};
}

}  // namespace linebloom
