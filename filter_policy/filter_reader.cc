#include "filter_policy/filter_reader.h"

namespace linebloom {
namespace {

LineShape ShapeOf(const FilterBlockInfo& info) {
  return {static_cast<LineKind>(info.line_kind), info.probes,
          info.rotation_bits};
}

}  // namespace

std::optional<FilterReader> FilterReader::Make(
    const char* block, const ParsedFilterBlock& parsed) {
  if (parsed.kind != FilterBlockKind::kReadable ||
      !IsReadable(ShapeOf(parsed.info))) {
    return std::nullopt;
  }
  return FilterReader(block, parsed.info);
}

FilterReader::FilterReader(const char* block, const FilterBlockInfo& info)
    : lines_(reinterpret_cast<const uint8_t*>(block)),
      line_count_(info.lines),
      shape_(ShapeOf(info)),
      hash_seed_(info.hash_seed) {}

}  // namespace linebloom
