#include <algorithm>
#include <bit>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "filter_policy/filter/built_in_filter.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/block_lines.h"
#include "filter_policy/line/little_endian.h"
#include "tools/filter_dump/raw/raw.h"
#include "tools/filter_dump/raw/raw_fields.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

// Rows of 32 bytes in groups of 8, preceded by their offset in the block.
void AppendHex(absl::string_view bytes, uint64_t offset, std::string* text) {
  constexpr size_t kRow = 32;
  constexpr size_t kGroup = 8;
  for (size_t at = 0; at < bytes.size(); at += kRow) {
    absl::StrAppendFormat(text, "%08x ", offset + at);
    const absl::string_view row = bytes.substr(at, kRow);
    for (size_t i = 0; i < row.size(); i += kGroup) {
      absl::StrAppend(text, " ", absl::BytesToHexString(row.substr(i, kGroup)));
    }
    absl::StrAppend(text, "\n");
  }
}

void AppendLine(uint64_t number, const LineContents& line,
                const BlockFacts& facts, std::string* text) {
  const bool solved = HasSolvedLines(facts);
  absl::StrAppendFormat(
      text, "line %d: k %s, %s, FPR %s %%\n", number,
      ProbesText(line.probes, solved),
      solved ? absl::StrCat("header ", line.header)
             : absl::StrFormat("%d of %d bits set", line.bits_set, line.bits),
      RateText(line.rate, facts.kind == BlockKind::kLinebloom));
}

// Describes the last bytes of a filter of RocksDB's.
std::string BuiltInTail(const BuiltInFilter& filter) {
  switch (filter.kind) {
    case BuiltInFilterKind::kBloom:
    case BuiltInFilterKind::kLegacyBloom:
      return absl::StrCat(filter.probes, " probes, lines of ",
                          filter.line_bytes, " bytes");
    case BuiltInFilterKind::kRibbon:
      return absl::StrCat(filter.blocks, " blocks of 128 slots");
    default:
      return "";
  }
}

void AppendFields(absl::string_view block, std::string* text) {
  for (const FilterBlockField& field :
       ListFilterBlockFields(block.data(), block.size())) {
    const absl::string_view bytes = block.substr(field.offset, field.bytes);
    const std::string meaning = FieldMeaning(field, bytes);
    absl::StrAppendFormat(text, "%08x  %-16s  %-*s%s\n", field.offset,
                          absl::BytesToHexString(bytes),
                          meaning.empty() ? 0 : 30, field.name, meaning);
  }
}

void AppendBlock(absl::string_view block, std::string* text) {
  const BlockFacts facts = ReadBlockFacts(block, /*keys=*/0);
  const bool exact = facts.kind == BlockKind::kLinebloom;
  const auto line_bytes = static_cast<size_t>(facts.line_bytes);
  (void)ForEachLineOfAny(block, [&](uint64_t number, const LineContents& line) {
    AppendLine(number, line, facts, text);
    AppendHex(block.substr(number * line_bytes, line_bytes),
              number * line_bytes, text);
  });
  const size_t lines_end = facts.lines * line_bytes;
  if (exact) {
    absl::StrAppend(text, "metadata and tail\n");
    AppendFields(block, text);
    return;
  }
  // RocksDB's own filters, and those that can't be read.
  const size_t tail_at =
      std::max(lines_end, block.size() - std::min<size_t>(5, block.size()));
  AppendHex(block.substr(lines_end, tail_at - lines_end), lines_end, text);
  absl::StrAppend(text, "tail: ", ToString(facts.kind));
  const std::string tail =
      BuiltInTail(ParseBuiltInFilter(block.data(), block.size()));
  if (facts.problem != nullptr) {
    absl::StrAppend(text, ": ", facts.problem);
  } else if (!tail.empty()) {
    absl::StrAppend(text, ", ", tail);
  }
  absl::StrAppend(text, "\n");
  AppendHex(block.substr(tail_at), tail_at, text);
}

}  // namespace

std::string RawAsText(const RawReport& report) {
  std::string text;
  for (const RawBlock& raw : report.blocks) {
    if (!text.empty()) absl::StrAppend(&text, "\n");
    absl::StrAppend(&text, report.path, ": filter of ",
                    WithThousands(raw.block.payload.size()),
                    " bytes at offset ", raw.block.offset, "\n");
    if (raw.partition.has_value()) {
      absl::StrAppend(&text, "partition ", *raw.partition, " of ",
                      report.partitions, ", keys up to ", KeyText(raw.last_key),
                      "\n");
    }
    AppendBlock(raw.block.payload, &text);
  }
  return text;
}

}  // namespace linebloom::tools
