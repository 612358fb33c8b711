#include "tools/filter_dump/raw.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "filter_policy/line/little_endian.h"
#include "nlohmann/json.hpp"
#include "table/filter_locator.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/command_line.h"
#include "tools/shared/json_values.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// The value of `field`, whose bytes are `bytes`, in words or numbers; "" if the
// bytes are self-explanatory.
std::string FieldMeaning(const FilterBlockField& field,
                         absl::string_view bytes);

// Reads a little-endian number of up to 8 bytes.
uint64_t NumberOf(absl::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return number;
}

// docs/format.md defines them.
std::string FlagsText(uint64_t flags) {
  std::vector<absl::string_view> set;
  if ((flags & 1) != 0) set.push_back("asked a rate");
  if ((flags & 2) != 0) set.push_back("level aware");
  if ((flags & 4) != 0) set.push_back("hash seed");
  if ((flags & 8) != 0) set.push_back("canonical key");
  if ((flags & 16) != 0) set.push_back("heat");
  return set.empty() ? "none" : absl::StrJoin(set, ", ");
}

std::string FieldMeaning(const FilterBlockField& field,
                         absl::string_view bytes) {
  const absl::string_view name = field.name;
  if (bytes.size() > sizeof(uint64_t)) return "";
  const uint64_t number = NumberOf(bytes);
  if (name == "line kind") return LineName(static_cast<Line>(number));
  if (name == "asked bits per key") {
    return absl::StrCat(static_cast<double>(number) / 1000);
  }
  if (name == "expected false-positive rate" ||
      name == "asked false-positive rate" || name == "heat") {
    return absl::StrFormat("%.6g",
                           std::bit_cast<float>(static_cast<uint32_t>(number)));
  }
  if (name == "flags") return FlagsText(number);
  if (name == "checksum") return "right";  // otherwise the block has no fields
  if (name == "codes" || name == "tail") return "";
  return WithThousands(number);
}

absl::StatusOr<std::vector<std::string>> PartitionKeys(const FilterFile& file) {
  std::vector<std::string> keys;
  if (file.location.kind != FilterKind::kPartitioned) return keys;
  PartitionIndex partition(&file.location.partition_index, file.properties);
  while (partition.Next()) keys.emplace_back(partition.user_key());
  if (!partition.status().ok()) return partition.status();
  return keys;
}

absl::Status CheckPartition(const FilterDumpConfig& config,
                            const RawReport& report) {
  if (!config.partition.has_value() || *config.partition < report.partitions) {
    return absl::OkStatus();
  }
  if (report.partitions == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--partition=", *config.partition, ": the filter of ",
                     report.path, " has no partitions"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--partition=", *config.partition, " is out of range: ", report.path,
      " has 0 to ", report.partitions - 1));
}

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
  const bool solved = facts.has_solved_lines();
  absl::StrAppendFormat(
      text, "line %d: k %s, %s, FPR %s %%\n", number,
      ProbesText(line.probes, solved),
      solved ? absl::StrCat("header ", line.header)
             : absl::StrFormat("%d of %d bits set", line.bits_set, line.bits),
      RateText(line.rate, facts.kind == BlockKind::kLinebloom));
}

// Describes the last bytes of a filter of RocksDB's.
std::string BuiltInTail(const ParsedFilter& filter) {
  switch (filter.kind) {
    case BlockKind::kBloom:
    case BlockKind::kLegacyBloom:
      return absl::StrCat(filter.probes, " probes, lines of ",
                          filter.line_bytes, " bytes");
    case BlockKind::kRibbon:
      return absl::StrCat(filter.blocks, " blocks of 128 slots");
    default:
      return "";
  }
}

void AppendFields(absl::string_view block, std::string* text) {
  for (const FilterBlockField& field :
       ListFilterBlockFields(block.data(), block.size())) {
    const absl::string_view bytes = block.substr(field.offset, field.bytes);
    if (field.bytes > sizeof(uint64_t)) {
      absl::StrAppend(text, field.name, "\n");
      AppendHex(bytes, field.offset, text);
      continue;
    }
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
  (void)ForEachLine(block, [&](uint64_t number, const LineContents& line) {
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
  const std::string tail = BuiltInTail(ParseFilter(block.data(), block.size()));
  if (facts.problem != nullptr) {
    absl::StrAppend(text, ": ", facts.problem);
  } else if (!tail.empty()) {
    absl::StrAppend(text, ", ", tail);
  }
  absl::StrAppend(text, "\n");
  AppendHex(block.substr(tail_at), tail_at, text);
}

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
  const bool solved = facts.has_solved_lines();
  (void)ForEachLine(bytes, [&](uint64_t, const LineContents& line) {
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

absl::StatusOr<RawReport> ReadRaw(const FilterDumpConfig& config) {
  RawReport report;
  report.path = config.files.front();
  const absl::StatusOr<FilterFile> file = OpenFilterFile(report.path);
  if (!file.ok()) return file.status();
  if (file->location.kind == FilterKind::kNone) {
    return absl::NotFoundError(absl::StrCat(report.path, " has no filter"));
  }
  const absl::StatusOr<std::vector<std::string>> keys = PartitionKeys(*file);
  if (!keys.ok()) return keys.status();
  report.partitions = keys->size();
  const absl::Status status = CheckPartition(config, report);
  if (!status.ok()) return status;
  for (uint64_t i = 0; i < file->location.blocks.size(); ++i) {
    if (config.partition.value_or(i) != i) continue;
    absl::StatusOr<Block> block =
        ReadFilterBlock(file->file, file->location.blocks[i]);
    if (!block.ok()) return block.status();
    RawBlock raw;
    if (!keys->empty()) {
      raw.partition = i;
      raw.last_key = (*keys)[i];
    }
    const BlockFacts facts = ReadBlockFacts(block->payload, /*keys=*/0);
    if (facts.problem != nullptr) {
      report.problems.push_back(absl::StrCat(report.path, ": offset ",
                                             block->offset,
                                             ": filter: ", facts.problem));
      report.exit_code = kExitFoundSomething;
    }
    raw.block = *std::move(block);
    report.blocks.push_back(std::move(raw));
  }
  return report;
}

absl::Status WriteRaw(const RawReport& report, const std::string& path) {
  const std::string what = absl::StrCat("cannot write --out='", path, "'");
  if (report.blocks.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": ", report.path, " has ", report.partitions,
                     " partitions; choose one with --partition"));
  }
  const std::string& bytes = report.blocks.front().block.payload;
  std::FILE* const file = std::fopen(path.c_str(), "wbx");
  if (file == nullptr) return absl::ErrnoToStatus(errno, what);
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  if (written && closed) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, what);
}

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
