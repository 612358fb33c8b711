#include "tools/filter_dump/facts_json.h"

#include <array>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tools/filter_dump/inputs.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/json_values.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

// The number as people wrote it: 0.01, which as a float is 0.00999999978.
double AsWritten(float number) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  double written = number;
  std::from_chars(text.data(), end, written);
  return written;
}

Json LinebloomAsJson(const FileFacts& facts) {
  const FilterBlockInfo& info = facts.first.info;
  const double bits = info.asked_millibits / 1000.0;
  const double rate = AsWritten(info.asked_false_positive_rate);
  return {{"version", info.version},
          {"line", LineName(info.line_kind)},
          {"asked_bits_per_key", rate > 0 ? Json() : Json(bits)},
          {"asked_false_positive_rate", rate > 0 ? Json(rate) : Json()},
          {"level_aware", info.level_aware},
          {"heat", OrNull(facts.heat)},
          // As text, because many JSON parsers limit numbers to 53 bits.
          {"hash_seed", absl::StrCat(info.hash_seed)},
          {"canonical_key", absl::StrCat(info.canonical_key)},
          {"false_positive_rate", OrNull(facts.rate_in_metadata)}};
}

Json FilterAsJson(const FileFacts& facts) {
  if (!facts.has_filter()) return nullptr;
  Json json = {{"kind", ToString(facts.filter_kind)},
               {"type", facts.mixed ? "mixed" : ToString(facts.first.kind)},
               {"family", facts.family},
               {"policy", facts.properties.filter_policy_name},
               {"blocks", facts.blocks},
               {"bytes", facts.bytes},
               {"bits_per_key", OrNull(facts.bits_per_key())},
               {"keys", OrNull(facts.keys)}};
  if (!facts.is_used()) return json;
  json["false_positive_rate"] = facts.rate;
  json["false_positive_rate_is_exact"] = facts.rate_is_exact;
  if (facts.lines > 0) {
    json["lines"] = facts.lines;
    json["line_bytes"] = facts.first.line_bytes;
    json["fill"] = HasSolvedLines(facts.first) ? Json() : Json(facts.fill);
    json["probes"] = {{"least", facts.least_probes},
                      {"most", facts.most_probes},
                      {"mean", facts.mean_probes}};
  }
  if (facts.first.kind == BlockKind::kLinebloom) {
    json["metadata"] = LinebloomAsJson(facts);
  }
  return json;
}

}  // namespace

Json FileAsJson(const LiveFile& file) {
  Json json = {{"path", file.path}};
  if (file.level != kNoLevel) {
    json["column_family"] = file.column_family;
    json["level"] = file.level;
  }
  return json;
}

Json FactsAsJson(const FileFacts& facts) {
  return {{"format_version", facts.format_version},
          {"rows", facts.rows()},
          {"range_deletions", facts.properties.num_range_deletions},
          {"filter", FilterAsJson(facts)}};
}

}  // namespace linebloom::tools
