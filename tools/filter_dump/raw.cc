#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
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
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/filter_dump/inputs.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

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

// The value of `field`, whose bytes are `bytes`, in words or numbers; "" if the
// bytes are self-explanatory.
std::string FieldMeaning(const FilterBlockField& field,
                         absl::string_view bytes) {
  const absl::string_view name = field.name;
  if (bytes.size() > sizeof(uint64_t)) return "";
  std::string padded(bytes);
  padded.resize(sizeof(uint64_t));
  const auto number = LoadLittleEndian<uint64_t>(padded.data());
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

absl::Status CheckPartition(const FilterDumpConfig& config,
                            const Json& report) {
  const auto partitions = report["partitions"].get<uint64_t>();
  if (!config.partition.has_value() || *config.partition < partitions) {
    return absl::OkStatus();
  }
  const std::string path = report["path"];
  if (partitions == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--partition=", *config.partition, ": the filter of ",
                     path, " has no partitions"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--partition=", *config.partition,
                   " is out of range: ", path, " has 0 to ", partitions - 1));
}

// Describes the last bytes of a filter.
std::string TailInWords(const BlockFacts& facts) {
  const std::string kind(ToString(facts.kind));
  if (facts.problem != nullptr) return absl::StrCat(kind, ": ", facts.problem);
  switch (facts.kind) {
    case BlockKind::kBloom:
    case BlockKind::kLegacyBloom:
      return absl::StrCat(kind, ", ", facts.probes, " probes, lines of ",
                          facts.line_bytes, " bytes");
    case BlockKind::kRibbon:
      return absl::StrCat(kind, ", ", facts.blocks, " blocks of 128 slots");
    default:
      return kind;
  }
}

Json LineAsJson(const LineContents& line, bool solved) {
  Json json = {{"probes", line.probes}};
  if (solved) {
    json["header"] = line.header;
  } else {
    json["bits_set"] = line.bits_set;
    json["bits"] = line.bits;
  }
  json["false_positive_rate"] = line.rate;
  return json;
}

Json BlockAsJson(const Block& block, const BlockFacts& facts,
                 const std::optional<uint64_t>& partition,
                 const std::string& last_key) {
  const std::string& bytes = block.payload;
  Json json = {
      {"partition", OrNull(partition)}, {"offset", block.offset},
      {"bytes", bytes.size()},          {"type", ToString(facts.kind)},
      {"tail", TailInWords(facts)},     {"lines", Json::array()},
      {"fields", Json::array()},        {"hex", absl::BytesToHexString(bytes)}};
  if (partition.has_value()) {
    json["last_key_hex"] = absl::BytesToHexString(last_key);
    json["last_key_in_words"] = KeyText(last_key);
  }
  (void)ForEachLine(bytes, facts, [&](uint64_t, const LineContents& line) {
    json["lines"].push_back(LineAsJson(line, facts.has_solved_lines()));
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

// Rows of 32 bytes in groups of 8, preceded by their offset in the block: bytes
// [begin, end) of it, two digits each in `hex`.
void AppendHex(absl::string_view hex, size_t begin, size_t end,
               std::string* text) {
  constexpr size_t kRow = 32;
  constexpr size_t kGroup = 8;
  for (size_t row = begin; row < end; row += kRow) {
    absl::StrAppendFormat(text, "%08x ", row);
    const size_t row_end = std::min(row + kRow, end);
    for (size_t at = row; at < row_end; at += kGroup) {
      const size_t bytes = std::min(kGroup, row_end - at);
      absl::StrAppend(text, " ", hex.substr(2 * at, 2 * bytes));
    }
    absl::StrAppend(text, "\n");
  }
}

void AppendFields(const Json& block, absl::string_view hex, std::string* text) {
  for (const Json& field : block["fields"]) {
    const std::string name = field["name"];
    const std::string digits = field["hex"];
    const std::string meaning = field["meaning"];
    const auto offset = field["offset"].get<size_t>();
    if (digits.size() > 2 * sizeof(uint64_t)) {
      absl::StrAppend(text, name, "\n");
      AppendHex(hex, offset, offset + digits.size() / 2, text);
      continue;
    }
    absl::StrAppendFormat(text, "%08x  %-16s  %-*s%s\n", offset, digits,
                          meaning.empty() ? 0 : 30, name, meaning);
  }
}

void AppendBlock(const Json& block, std::string* text) {
  const std::string hex = block["hex"];
  const bool exact =
      block["type"] == std::string(ToString(BlockKind::kLinebloom));
  size_t at = 0;
  for (size_t i = 0; i < block["lines"].size(); ++i) {
    const Json& line = block["lines"][i];
    const bool solved = line.contains("header");
    absl::StrAppend(
        text, "line ", i, ": k ", ProbesText(line["probes"], solved), ", ",
        Fill("header {/header}|{/bits_set} of {/bits} bits set", line),
        exact ? ", FPR " : ", FPR ~",
        Fill("{/false_positive_rate:rate} %\n", line));
    const size_t end =
        at + (solved ? size_t{kLineBytes} : line["bits"].get<size_t>() / 8);
    AppendHex(hex, at, end, text);
    at = end;
  }
  if (exact) {
    absl::StrAppend(text, "metadata and tail\n");
    AppendFields(block, hex, text);
    return;
  }
  // RocksDB's own filters, and those that can't be read.
  const size_t size = hex.size() / 2;
  const size_t tail = std::max(at, size - std::min<size_t>(5, size));
  AppendHex(hex, at, tail, text);
  absl::StrAppend(text, Fill("tail: {/tail}\n", block));
  AppendHex(hex, tail, size, text);
}

// `last` gets the bytes of the last block.
absl::StatusOr<Json> ReadRaw(const FilterDumpConfig& config,
                             std::string* last) {
  ASSIGN_OR_RETURN(const std::vector<LiveFile> files, ListInputs(config));
  const std::string& path = files.front().path;
  ASSIGN_OR_RETURN(const SstFile file, SstFile::Open(path));
  if (file.filter().kind == FilterKind::kNone) {
    return absl::NotFoundError(absl::StrCat(path, " has no filter"));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> keys,
                   file.ReadPartitionKeys());
  Json report = {{"command", "raw"},
                 {"path", path},
                 {"partitions", keys.size()},
                 {"blocks", Json::array()},
                 {"problems", Json::array()}};
  RETURN_IF_ERROR(CheckPartition(config, report));
  for (uint64_t i = 0; i < file.filter().blocks.size(); ++i) {
    if (config.partition.value_or(i) != i) continue;
    ASSIGN_OR_RETURN(const Block block,
                     file.ReadFilterBlock(file.filter().blocks[i]));
    const BlockFacts facts = ReadBlockFacts(block.payload, /*keys=*/0);
    if (facts.problem != nullptr) {
      report["problems"].push_back(absl::StrCat(path, ": offset ", block.offset,
                                                ": filter: ", facts.problem));
    }
    report["blocks"].push_back(keys.empty()
                                   ? BlockAsJson(block, facts, std::nullopt, "")
                                   : BlockAsJson(block, facts, i, keys[i]));
    *last = block.payload;
  }
  return report;
}

// Writes `bytes`, those of the report's only block, to a new file.
absl::Status WriteRaw(const Json& report, const std::string& bytes,
                      const std::string& path) {
  const std::string what = absl::StrCat("cannot write --out='", path, "'");
  if (report["blocks"].size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, Fill(": {/path} has {/partitions} partitions; choose one with "
                   "--partition",
                   report)));
  }
  std::FILE* const file = std::fopen(path.c_str(), "wbx");
  if (file == nullptr) return absl::ErrnoToStatus(errno, what);
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  if (written && closed) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, what);
}

// An annotated hexdump.
std::string RawAsText(const Json& report) {
  std::string text;
  for (const Json& block : report["blocks"]) {
    if (!text.empty()) absl::StrAppend(&text, "\n");
    absl::StrAppend(
        &text, Fill("{/path}: ", report),
        Fill("filter of {/bytes:,} bytes at offset {/offset}\n", block));
    if (!block["partition"].is_null()) {
      absl::StrAppend(&text, Fill("partition {/partition} of ", block),
                      Fill("{/partitions}, keys up to ", report),
                      Fill("{/last_key_in_words}\n", block));
    }
    AppendBlock(block, &text);
  }
  return text;
}

}  // namespace

absl::StatusOr<Outcome> RunRaw(const FilterDumpConfig& config) {
  std::string bytes;
  ASSIGN_OR_RETURN(const Json report, ReadRaw(config, &bytes));
  if (!config.out.empty()) RETURN_IF_ERROR(WriteRaw(report, bytes, config.out));
  return Outcome{config.out.empty() ? RawAsText(report) : "", report};
}

}  // namespace linebloom::tools
