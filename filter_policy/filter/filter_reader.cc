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
  const FilterView filter(reinterpret_cast<const uint8_t*>(block), info.lines,
                          info.shape);
  return FilterReader(
      filter, info.request.hash_seed,
      info.shape.kind == Line::kPlain ? kernel.plain : kernel.solved);
}

bool FilterReader::MayMatchSeeded(const char* key, size_t size) const {
  return MayMatch(hash_(key, size));
}

}  // namespace linebloom
