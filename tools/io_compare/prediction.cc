#include "tools/io_compare/prediction.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "filter_facts/built_in_filter_rate.h"
#include "table/filter_block.h"
#include "table/filter_locator.h"
#include "table/sst_file.h"

namespace linebloom::tools {
namespace {

// Of one block, which holds the filter of `keys` keys.
std::optional<double> RateOfBlock(const std::string& block, uint64_t keys) {
  const ParsedFilterBlock parsed = ParseFilterBlock(block.data(), block.size());
  switch (parsed.kind) {
    case FilterBlockKind::kNoKeys:
      return 0;
    case FilterBlockKind::kReadable:
      return parsed.info.expected_false_positive_rate;
    case FilterBlockKind::kUnusable:
      return 1;  // everything may match
    case FilterBlockKind::kForeign:
      return BuiltInFilterRate(block.data(), block.size(), keys);
  }
  return std::nullopt;
}

// Of one file. The partitions of a filter count by their size.
std::optional<double> RateOfFile(const std::string& path) {
  const auto file = SstFile::Open(path);
  if (!file.ok()) return std::nullopt;
  const auto properties = file->ReadProperties();
  if (!properties.ok()) return std::nullopt;
  const auto filter = LocateFilter(*file, *properties);
  if (!filter.ok() || filter->blocks.empty()) return std::nullopt;
  const auto keys = static_cast<double>(
      properties->num_filter_entries.value_or(properties->num_entries));
  double bytes = 0;
  for (const BlockHandle& handle : filter->blocks) {
    bytes += static_cast<double>(handle.size);
  }
  double rate = 0;
  for (const BlockHandle& handle : filter->blocks) {
    const auto block = ReadFilterBlock(*file, handle);
    if (!block.ok()) return std::nullopt;
    const double share =
        bytes > 0 ? static_cast<double>(handle.size) / bytes : 1;
    const auto block_rate =
        RateOfBlock(block->payload, std::llround(share * keys));
    if (!block_rate.has_value()) return std::nullopt;
    rate += share * *block_rate;
  }
  return rate;
}

struct RunTotals {
  double keys = 0;
  double rate_times_keys = 0;
};

}  // namespace

std::optional<double> PredictedFalsePositiveRate(rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  // A level is a run; of level 0 each file is. Those get numbers below 0.
  std::map<int, RunTotals> runs;
  int next_run = -1;
  for (const rocksdb::LiveFileMetaData& file : live) {
    const std::optional<double> rate =
        RateOfFile(absl::StrCat(file.db_path, file.name));
    if (!rate.has_value()) return std::nullopt;
    RunTotals& run = runs[file.level == 0 ? next_run-- : file.level];
    const auto keys = static_cast<double>(file.num_entries);
    run.keys += keys;
    run.rate_times_keys += *rate * keys;
  }
  double sum = 0;
  for (const auto& [number, run] : runs) sum += run.rate_times_keys / run.keys;
  return runs.empty()
             ? std::nullopt
             : std::optional<double>(sum / static_cast<double>(runs.size()));
}

}  // namespace linebloom::tools
