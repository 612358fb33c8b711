#include "filter_policy/filter/filter_reader.h"

namespace linebloom {

std::optional<FilterReader> FilterReader::Make(const char* block,
                                               const ParsedFilter& parsed,
                                               const LineKernel& kernel,
                                               uint64_t canonical_key) {
  const FilterBlockInfo& info = parsed.info;
  if (info.request.canonical_key != canonical_key ||
      (parsed.kind != BlockKind::kLinebloom &&
       parsed.kind != BlockKind::kBloom)) {
    return std::nullopt;
  }
  return FilterReader(
      FilterView(reinterpret_cast<const uint8_t*>(block), info.lines,
                 info.shape),
      KeyHash(info.request.hash_seed, info.request.line),
      parsed.kind == BlockKind::kBloom ? kernel.plain : kernel.solved);
}

bool FilterReader::MayMatchSeeded(const char* key, size_t size) const {
  return MayMatch(hash_(key, size));
}

}  // namespace linebloom
