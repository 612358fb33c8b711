#include "absl/strings/escaping.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/block_lines.h"
#include "nlohmann/json.hpp"
#include "tools/filter_dump/raw/raw.h"
#include "tools/filter_dump/raw/raw_fields.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/json_values.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

Json BlockAsJson(const RawBlock& raw) {
  const std::string& bytes = raw.block.payload;
  const BlockFacts facts = ReadBlockFacts(bytes, /*keys=*/0);
  Json json = {{"partition", OrNull(raw.partition)},
               {"offset", raw.block.offset},
               {"bytes", bytes.size()},
               {"type", ToString(facts.kind)},
               {"lines", Json::array()},
               {"fields", Json::array()},
               {"hex", absl::BytesToHexString(bytes)}};
  if (raw.partition.has_value()) {
    json["last_key_hex"] = absl::BytesToHexString(raw.last_key);
  }
  const bool solved = HasSolvedLines(facts);
  (void)ForEachLineOfAny(bytes, [&](uint64_t, const LineContents& line) {
    Json entry = {{"probes", line.probes}};
    if (solved) {
      entry["header"] = line.header;
    } else {
      entry["bits_set"] = line.bits_set;
      entry["bits"] = line.bits;
    }
    entry["false_positive_rate"] = line.rate;
    json["lines"].push_back(entry);
  });
  for (const FilterBlockField& field :
       ListFilterBlockFields(bytes.data(), bytes.size())) {
    const absl::string_view value =
        absl::string_view(bytes).substr(field.offset, field.bytes);
    json["fields"].push_back({{"name", field.name},
                              {"offset", field.offset},
                              {"hex", absl::BytesToHexString(value)},
                              {"meaning", FieldMeaning(field, value)}});
  }
  return json;
}

}  // namespace

Json RawAsJson(const RawReport& report) {
  Json json = {{"command", "raw"},
               {"path", report.path},
               {"partitions", report.partitions},
               {"blocks", Json::array()},
               {"problems", report.problems}};
  for (const RawBlock& raw : report.blocks) {
    json["blocks"].push_back(BlockAsJson(raw));
  }
  return json;
}

}  // namespace linebloom::tools
