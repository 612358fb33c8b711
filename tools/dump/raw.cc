#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/line/little_endian.h"
#include "nlohmann/json.hpp"
#include "table/block_facts.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/dump/inputs.h"
#include "tools/shared/commands.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

struct RawConfig {
  std::string file;
  std::string out;  // "": the text goes to stdout
};

// docs/format.md defines them.
std::string FlagsText(uint64_t flags) {
  std::vector<absl::string_view> set;
  if ((flags & 1) != 0) set.push_back("asked a rate");
  if ((flags & 2) != 0) set.push_back("level aware");
  if ((flags & 4) != 0) set.push_back("hash seed");
  if ((flags & 8) != 0) set.push_back("canonical key");
  if ((flags & 16) != 0) set.push_back("heat (reserved)");
  return set.empty() ? "none" : absl::StrJoin(set, ", ");
}

// The value of a field, whose bytes are `bytes`, in words or numbers; "" if the
// bytes are self-explanatory.
std::string FieldMeaning(absl::string_view name, absl::string_view bytes) {
  if (bytes.size() > sizeof(uint64_t) || name == "codes" || name == "tail") {
    return "";
  }
  std::string padded(bytes);
  padded.resize(sizeof(uint64_t));
  const auto number = LoadLittleEndian<uint64_t>(padded.data());
  if (name == "line kind") return LineName(static_cast<LineKind>(number));
  if (name == "flags") return FlagsText(number);
  if (name == "checksum") return "right";  // otherwise the block has no fields
  if (name == "asked bits per key") return absl::StrCat(number / 1000.0);
  if (absl::EndsWith(name, "rate") || name == "heat") {
    return absl::StrFormat("%.6g",
                           std::bit_cast<float>(static_cast<uint32_t>(number)));
  }
  const bool is_quantity = name != "hash seed" && name != "canonical key";
  return is_quantity ? WithThousands(number) : absl::StrCat(number);
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

// Some bytes of a block, with a name and what they mean.
Json Part(absl::string_view block, size_t offset, size_t size,
          const std::string& name, const std::string& meaning) {
  return {{"name", name},
          {"meaning", meaning},
          {"offset", offset},
          {"hex", absl::BytesToHexString(block.substr(offset, size))}};
}

std::string LineInWords(const LineContents& line, const BlockFacts& facts) {
  const bool solved = facts.has_solved_lines();
  return absl::StrCat(
      "k ", ProbesText(line.probes, solved), ", ",
      solved ? absl::StrCat("header ", line.header)
             : absl::StrCat(line.bits_set, " of ", line.bits, " bits set"),
      facts.kind == BlockKind::kLinebloom ? ", FPR " : ", FPR ~",
      Fill("{/rate:rate} %", {{"rate", line.rate}}));
}

// Everything in the block, in order.
Json PartsOf(absl::string_view block, const BlockFacts& facts) {
  Json parts = Json::array();
  size_t at = 0;
  (void)ForEachLine(
      block, facts, [&](uint64_t number, const LineContents& line) {
        // (A solved line's header is not among its bits.)
        const size_t size =
            facts.has_solved_lines() ? kLineBytes : size_t{line.bits / 8u};
        parts.push_back(Part(block, at, size, absl::StrCat("line ", number),
                             LineInWords(line, facts)));
        at += size;
      });
  const auto fields = ListFilterBlockFields(block.data(), block.size());
  for (const FilterBlockField& field : fields) {
    parts.push_back(Part(
        block, field.offset, field.bytes, field.name,
        FieldMeaning(field.name, block.substr(field.offset, field.bytes))));
  }
  if (!fields.empty()) return parts;
  // RocksDB's own filters, and unreadable ones.
  const size_t tail =
      std::max(at, block.size() - std::min(kFilterTailBytes, block.size()));
  if (tail > at) parts.push_back(Part(block, at, tail - at, "bits", ""));
  parts.push_back(
      Part(block, tail, block.size() - tail, "tail", TailInWords(facts)));
  return parts;
}

// Short parts are one line. Long ones are rows of 32 bytes in groups of 8, each
// row after its offset in the block.
void AppendPart(const Json& part, std::string* text) {
  constexpr size_t kGroup = 2 * 8;  // digits
  constexpr size_t kRow = 4 * kGroup;
  const std::string hex = part["hex"];
  const std::string meaning = part["meaning"];
  const auto offset = part["offset"].get<size_t>();
  if (hex.size() <= kGroup) {
    const std::string start = absl::StrFormat("%08x  %-16s  %s", offset, hex,
                                              part["name"].get<std::string>());
    constexpr size_t kMeaningAt = 58;  // column
    absl::StrAppend(
        text,
        NamedText(start, meaning, meaning.empty() ? start.size() : kMeaningAt));
    return;
  }
  absl::StrAppend(text,
                  NamedText("",
                            absl::StrCat(Fill("{/name}", part),
                                         meaning.empty() ? "" : ": ", meaning),
                            /*indent=*/0));
  for (size_t at = 0; at < hex.size(); at += kGroup) {
    if (at % kRow == 0) absl::StrAppendFormat(text, "%08x ", offset + at / 2);
    absl::StrAppend(text, " ", hex.substr(at, kGroup));
    const bool is_last = at + kGroup >= hex.size() || (at + kGroup) % kRow == 0;
    if (is_last) absl::StrAppend(text, "\n");
  }
}

// Appends all blocks to `bytes`.
absl::StatusOr<Json> ReadRaw(const std::string& path, std::string* bytes) {
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
  for (const BlockHandle& handle : file.filter().blocks) {
    ASSIGN_OR_RETURN(const Block block, file.ReadFilterBlock(handle));
    *bytes += block.payload;
    const BlockFacts facts = ReadBlockFacts(block.payload, /*keys=*/0);
    if (facts.problem != nullptr) {
      report["problems"].push_back(absl::StrCat(path, ": offset ", block.offset,
                                                ": filter: ", facts.problem));
    }
    const size_t i = report["blocks"].size();
    report["blocks"].push_back({{"partition", nullptr},
                                {"offset", block.offset},
                                {"bytes", block.payload.size()},
                                {"type", ToString(facts.kind)},
                                {"parts", PartsOf(block.payload, facts)}});
    if (i >= keys.size()) continue;
    report["blocks"].back()["partition"] = i;
    report["blocks"].back()["last_key"] = KeyText(keys[i]);
  }
  return report;
}

// Writes `bytes` to a new file.
absl::Status WriteRaw(const std::string& bytes, const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "wbx");
  const bool written =
      file != nullptr &&
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (written && closed) return absl::OkStatus();
  return absl::ErrnoToStatus(errno,
                             absl::StrCat("cannot write --out='", path, "'"));
}

// An annotated hexdump.
std::string RawAsText(const Json& report) {
  std::string text;
  for (const Json& block : report["blocks"]) {
    if (!text.empty()) absl::StrAppend(&text, "\n");
    std::string title = absl::StrCat(
        Fill("{/path}: ", report),
        Fill("filter of {/bytes:,} bytes at offset {/offset}", block));
    if (!block["partition"].is_null()) {
      absl::StrAppend(&title, Fill("\npartition {/partition} of ", block),
                      Fill("{/partitions}, keys up to ", report),
                      Fill("{/last_key}", block));
    }
    absl::StrAppend(&text, NamedText("", title, /*indent=*/0));
    for (const Json& part : block["parts"]) AppendPart(part, &text);
  }
  return text;
}

absl::StatusOr<Outcome> RunRaw(const RawConfig& config) {
  std::string bytes;
  const absl::StatusOr<Json> report = ReadRaw(config.file, &bytes);
  // Damage is what the user looks for, not a wrong use of the tool.
  if (absl::IsDataLoss(report.status())) {
    return Outcome{"", {{"problems", {report.status().message()}}}};
  }
  RETURN_IF_ERROR(report.status());
  if (config.out.empty()) return Outcome{RawAsText(*report), *report};
  RETURN_IF_ERROR(WriteRaw(bytes, config.out));
  return Outcome{"", *report};
}

Runner DeclareRaw(CLI::App* app) {
  const auto config = std::make_shared<RawConfig>();
  app->add_option("file", config->file, "an SSTable")->required();
  app->add_option("--out", config->out,
                  "write the bytes, of partitions one after another, to this "
                  "new file instead of printing them");
  return [config] { return RunRaw(*config); };
}

}  // namespace

const Subcommand kRaw = {
    "raw",
    R"(prints the bytes of one file's filter, annotated.

  linebloom raw 000123.sst | less
  linebloom raw 000123.sst --out=bytes

Exits with 0; with 1 if the filter is damaged, and stderr says how; with 2 for
bad usage or a file that is not an SSTable.)",
    DeclareRaw,
};

}  // namespace linebloom::tools
