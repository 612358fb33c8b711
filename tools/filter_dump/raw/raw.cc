#include "tools/filter_dump/raw/raw.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "table/partition_index.h"
#include "tools/shared/command_line.h"

namespace linebloom::tools {
namespace {

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

}  // namespace linebloom::tools
