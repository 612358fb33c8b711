#include "filter_policy/filter/filter_builder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line_builder.h"
#include "filter_policy/line/plain_probes.h"

namespace linebloom {
namespace {

FilterBlock BuildEmptyBlock(const FilterRequest& request) {
  std::unique_ptr<char[]> bytes(new char[kFilterTailBytes]);
  std::copy_n(kEmptyFilterBlock, kFilterTailBytes, bytes.get());
  if (request.line == LineKind::kPlain) {  // as RocksDB's
    bytes[2] = static_cast<char>(PlainProbes(request.millibits_per_key));
  }
  return {std::move(bytes), kFilterTailBytes};
}

// The functions write info->lines lines to `to` and complete `info`.

// Adds keys directly to their lines.
void BuildPlainLines(const HashList& hashes, int probes, FilterBlockInfo* info,
                     uint8_t* to) {
  info->shape = {LineKind::kPlain, static_cast<uint8_t>(probes), 0};
  std::fill_n(to, BytesOfLines(LineKind::kPlain, info->lines), 0);
  hashes.VisitAll([&](std::span<const uint64_t> chunk) {
    for (const uint64_t hash : chunk) {
      AddToPlainLine(probes, hash,
                     to + size_t{PlainLineOf(hash, info->lines)} * kLineBytes);
    }
  });
}

void BuildSolvedLines(const HashList& hashes, const LineKernel& kernel,
                      FilterBlockInfo* info, uint8_t* to) {
  const uint32_t lines = info->lines;
  LinePartition partition(hashes, lines);
  info->shape = SolvedShape(hashes.size(), lines);
  LineBuilder builder(info->shape, kernel);
  uint32_t line = 0;
  uint8_t* const codes = to + size_t{lines} * kLineBytes;
  for (uint32_t group = 0; group < GroupsOf(lines); ++group) {
    const LinePartition::Group keys = partition.Next();
    codes[group] = keys.code;
    for (const std::span<const uint64_t> of_line : keys.lines) {
      if (line == lines) break;
      builder.Add(of_line, to + size_t{line} * kLineBytes);
      ++line;
    }
  }
  info->expected_false_positive_rate =
      static_cast<float>(builder.Finish() / lines);
}

FilterBlock BuildBlock(const HashList& hashes, const FilterRequest& request,
                       uint32_t millibits, const LineKernel& kernel,
                       uint32_t lines) {
  FilterBlockInfo info;
  info.request = request;
  info.lines = lines;
  info.keys =
      static_cast<uint32_t>(std::min<size_t>(hashes.size(), UINT32_MAX));
  const size_t lines_size = BytesOfLines(request.line, lines);
  const size_t size = lines_size + FilterBlockOverhead(request);
  // Not make_unique: that would clear memory that is written anyway.
  std::unique_ptr<char[]> bytes(new char[size]);
  auto* const to = reinterpret_cast<uint8_t*>(bytes.get());
  if (request.line == LineKind::kPlain) {
    BuildPlainLines(hashes, PlainProbes(millibits), &info, to);
  } else {
    BuildSolvedLines(hashes, kernel, &info, to);
  }
  WriteFilterBlockEnd(info, bytes.get() + lines_size);
  return {std::move(bytes), size};
}

}  // namespace

FilterBlock BuildFilter(const HashList& hashes, const FilterRequest& request,
                        const LineKernel& kernel,
                        AllocationRounding* rounding) {
  if (hashes.empty()) return BuildEmptyBlock(request);
  const size_t keys = hashes.size();
  uint32_t millibits = request.millibits_per_key;
  uint32_t lines = NumLinesForKeys(keys, millibits);
  if (rounding != nullptr) {
    lines = rounding->Round(keys, lines, FilterBlockOverhead(request));
  }
  // More than 2^32 keys may have fewer bits than requested.
  if (lines == kMaxLines) {
    millibits = std::min(millibits, MillibitsPerKey(lines, keys));
  }
  return BuildBlock(hashes, request, millibits, kernel, lines);
}

}  // namespace linebloom
