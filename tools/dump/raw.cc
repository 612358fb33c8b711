#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
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
#include "tools/commands.h"
#include "tools/dump/inputs.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

struct RawConfig {
  std::string file;
  std::string out;  // "": the text goes to stdout
  std::optional<uint64_t> partition;
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

// The value of `field`, whose bytes are `bytes`, in words or numbers; "" if the
// bytes are self-explanatory.
std::string FieldMeaning(const FilterBlockField& field,
                         absl::string_view bytes) {
  const absl::string_view name = field.name;
  if (bytes.size() > sizeof(uint64_t)) return "";
  std::string padded(bytes);
  padded.resize(sizeof(uint64_t));
  const auto number = LoadLittleEndian<uint64_t>(padded.data());
  if (name == "line kind") return LineName(static_cast<LineKind>(number));
  if (name == "asked bits per key") {
    return absl::StrCat(number / 1000.0);
  }
  if (name == "expected false-positive rate" ||
      name == "asked false-positive rate" || name == "heat") {
    return absl::StrFormat("%.6g",
                           std::bit_cast<float>(static_cast<uint32_t>(number)));
  }
  if (name == "flags") return FlagsText(number);
  if (name == "checksum") return "right";  // otherwise the block has no fields
  if (name == "codes" || name == "tail") return "";
  if (name == "hash seed" || name == "canonical key") {
    return absl::StrCat(number);  // no quantity
  }
  return WithThousands(number);
}

absl::Status CheckPartition(const RawConfig& config, const Json& report) {
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
    parts.push_back(
        Part(block, field.offset, field.bytes, field.name,
             FieldMeaning(field, block.substr(field.offset, field.bytes))));
  }
  if (!fields.empty()) return parts;
  // RocksDB's own filters, and those that can't be read.
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

// Sets `bytes` to the report's only block.
absl::StatusOr<Json> ReadRaw(const RawConfig& config, std::string* bytes) {
  const std::string& path = config.file;
  const Inputs inputs = {{path}, "", ""};
  RETURN_IF_ERROR(ListInputs(inputs).status());
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
    *bytes = block.payload;
    const BlockFacts facts = ReadBlockFacts(block.payload, /*keys=*/0);
    if (facts.problem != nullptr) {
      report["problems"].push_back(absl::StrCat(path, ": offset ", block.offset,
                                                ": filter: ", facts.problem));
    }
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

// Writes the bytes of the report's only block to a new file.
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

// The annotated bytes of the file's filter, or with --out its bytes in a new
// file.
absl::StatusOr<Outcome> RunRaw(const RawConfig& config) {
  std::string bytes;
  const absl::StatusOr<Json> read = ReadRaw(config, &bytes);
  // Damage is what the user looks for, not a wrong use of the tool.
  if (absl::IsDataLoss(read.status())) {
    return Outcome{"", {{"problems", {read.status().message()}}}};
  }
  RETURN_IF_ERROR(read.status());
  const Json& report = *read;
  if (!config.out.empty()) {
    RETURN_IF_ERROR(WriteRaw(report, bytes, config.out));
  }
  return Outcome{config.out.empty() ? RawAsText(report) : "", report};
}

Runner DeclareRaw(CLI::App* app) {
  const auto config = std::make_shared<RawConfig>();
  app->add_option("file", config->file, "an SSTable")->required();
  app->add_option("--out", config->out,
                  "write the bytes of the block to this new "
                  "file instead of printing them");
  AddNumber(app, "--partition", &config->partition, Unit::kNone, 0, UINT64_MAX,
            "the partition to show instead of all");
  return [config] { return RunRaw(*config); };
}

}  // namespace

const Subcommand kRaw = {
    "raw",
    R"(prints the bytes of one file's filter, annotated.

  linebloom raw 000123.sst | less
  linebloom raw 000123.sst --partition=3 --out=block

Exits with 0; with 1 if the filter is damaged, and stderr says how; with 2 for
bad usage or a file that is not an SSTable.)",
    DeclareRaw,
};

}  // namespace linebloom::tools
