#include "filter_policy/filter/filter_builder.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/hash_list.h"
#include "filter_policy/line/builder/line_builder.h"
#include "filter_policy/sizing/expected_rate.h"
#include "filter_policy/sizing/line_count_search.h"
#include "filter_policy/sizing/sizing.h"

namespace linebloom {
namespace {

struct Lines {
  LineShape shape;
  double rate;  // the mean of the lines' exact rates
};

// Adds keys directly to their lines.
Lines BuildPlainLines(const HashList& hashes, int probes,
                      const LineKernel& kernel, uint32_t count, uint8_t* to) {
  std::fill_n(to, size_t{count} * kLineBytes, 0);
  hashes.VisitAll([&](std::span<const uint64_t> chunk) {
    kernel.add_to_plain_lines(probes, chunk, count, to);
  });
  double sum_of_rates = 0;
  for (uint32_t line = 0; line < count; ++line) {
    sum_of_rates +=
        kernel.rate_of_plain_line(to + size_t{line} * kLineBytes, probes);
  }
  return {{Line::kPlain, static_cast<uint8_t>(probes), 0, 0},
          sum_of_rates / count};
}

Lines BuildSolvedLines(const HashList& hashes, const LineKernel& kernel,
                       uint32_t count, uint8_t* to) {
  GroupPartition partition(hashes, count);
  const LineShape shape = SolvedShape(hashes.size(), count);
  LineBuilder builder(shape, kernel);
  double sum_of_rates = 0;
  uint8_t* const codes = to + size_t{count} * kLineBytes;
  for (uint32_t group = 0; group < GroupsOf(count); ++group) {
    sum_of_rates += builder.BuildGroup(
        partition.Next(), count, group,
        to + size_t{group} * kLinesPerGroup * kLineBytes, codes + group);
  }
  return {shape, sum_of_rates / count};
}

Lines BuildLines(const HashList& hashes, Line line, uint32_t millibits,
                 const LineKernel& kernel, uint32_t count, uint8_t* to) {
  return line == Line::kPlain ? BuildPlainLines(hashes, PlainProbes(millibits),
                                                kernel, count, to)
                              : BuildSolvedLines(hashes, kernel, count, to);
}

// A finished block and its rate.
struct BuiltBlock {
  FilterBlock block;
  double rate;
};

BuiltBlock BuildBlock(const HashList& hashes, const FilterRequest& request,
                      uint32_t millibits, const LineKernel& kernel,
                      uint32_t count) {
  FilterBlockInfo info;
  info.request = request;
  info.lines = count;
  info.keys =
      static_cast<uint32_t>(std::min<size_t>(hashes.size(), UINT32_MAX));
  const Line line = BuiltLine(request.line, MillibitsFor(count, hashes.size()));
  const size_t lines_size = BytesOfLines(line, count);
  const size_t size = lines_size + FilterBlockOverhead(request);
  // Not make_unique: that would clear memory that is written anyway.
  std::unique_ptr<char[]> bytes(new char[size]);
  const Lines built = BuildLines(hashes, line, millibits, kernel, count,
                                 reinterpret_cast<uint8_t*>(bytes.get()));
  info.expected_false_positive_rate = static_cast<float>(built.rate);
  SetShape(built.shape, &info);
  WriteFilterBlockEnd(info, bytes.get() + lines_size);
  return {{std::move(bytes), size}, built.rate};
}

FilterBlock BuildForRate(const HashList& hashes, const FilterRequest& request,
                         const LineKernel& kernel) {
  LineCountSearch search(LinesFor(hashes.size(), request.millibits_per_key),
                         hashes.size(), request.false_positive_rate,
                         LogRatePerBit(request.line));
  FilterBlock best;
  while (const std::optional<uint32_t> count = search.Next()) {
    BuiltBlock built = BuildBlock(
        hashes, request, MillibitsFor(*count, hashes.size()), kernel, *count);
    if (search.Judge(built.rate)) best = std::move(built.block);
  }
  return best;
}

}  // namespace

FilterBlock BuildFilter(const HashList& hashes, const FilterRequest& request,
                        const LineKernel& kernel,
                        AllocationRounding* rounding) {
  if (hashes.empty()) return {};
  if (request.false_positive_rate > 0) {
    return BuildForRate(hashes, request, kernel);
  }
  uint32_t millibits = request.millibits_per_key;
  uint32_t count = LinesFor(hashes.size(), millibits);
  if (rounding != nullptr) {
    const uint32_t rounded = rounding->Round(request.line, hashes.size(), count,
                                             FilterBlockOverhead(request));
    if (rounded != count) millibits = MillibitsFor(rounded, hashes.size());
    count = rounded;
  }
  return BuildBlock(hashes, request, millibits, kernel, count).block;
}

}  // namespace linebloom
