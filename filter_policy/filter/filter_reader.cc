#include "filter_policy/filter/filter_reader.h"

namespace linebloom {

std::optional<FilterReader> FilterReader::Make(const char* block,
                                               const ParsedFilter& parsed,
                                               const LineKernel& kernel,
                                               uint64_t canonical_key) {
  const FilterBlockInfo& info = parsed.info;
  if (parsed.kind != BlockKind::kLinebloom ||
      info.request.canonical_key != canonical_key) {
    return std::nullopt;
  }
  const LineShape shape = ShapeOf(info);
  const FilterView filter(reinterpret_cast<const uint8_t*>(block), info.lines,
                          shape);
  // A small group at the end has no lines to exchange.
  if (filter.codes != nullptr && info.lines % kLinesPerGroup != 0 &&
      filter.codes[info.lines / kLinesPerGroup] != 0) {
    return std::nullopt;
  }
  return FilterReader(
      filter, info.request.hash_seed,
      shape.kind == Line::kPlain ? kernel.plain : kernel.solved);
}

}  // namespace linebloom
