#include "filter_policy/filter/filter_reader.h"

namespace linebloom {

std::optional<FilterReader> FilterReader::Make(const char* block,
                                               const ParsedFilterBlock& parsed,
                                               const LineKernel& kernel) {
  const FilterBlockInfo& info = parsed.info;
  const LineShape shape = ShapeOf(info);
  if (parsed.kind != FilterBlockKind::kReadable || !IsReadable(shape)) {
    return std::nullopt;
  }
  return FilterReader(
      {reinterpret_cast<const uint8_t*>(block), info.lines, shape},
      info.hash_seed,
      shape.kind == LineKind::kPlain ? kernel.plain : kernel.solved);
}

}  // namespace linebloom
