#include "tools/io_compare/prediction.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter_facts/built_in_filter_rate.h"
#include "table/filter_locator.h"
#include "table/sst_file.h"

namespace linebloom::tools {
namespace {

// The rate of one block, the filter of `keys` keys.
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

// The rate of one file. Partitions of a filter are weighted by size.
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

// Sums over one sorted run, and then over several.
struct RunTotals {
  double lookups = 0;
  double rate_times_lookups = 0;
};

struct RateSum {
  double rates = 0;
  int runs = 0;

  void Add(double rate) {
    rates += rate;
    ++runs;
  }
  double mean() const { return rates / runs; }
};

}  // namespace

PredictedRates PredictFalsePositiveRates(
    rocksdb::DB* db,
    const std::function<double(const rocksdb::LiveFileMetaData&)>& lookups_of) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  // A level is a run; in level 0 each file is.
  std::map<std::pair<int, int>, RunTotals> runs;
  std::set<int> unknown;  // levels
  int files_in_level_0 = 0;
  for (const rocksdb::LiveFileMetaData& file : live) {
    const std::optional<double> rate =
        RateOfFile(absl::StrCat(file.db_path, file.name));
    if (!rate.has_value()) {
      unknown.insert(file.level);
      continue;
    }
    RunTotals& run =
        runs[{file.level, file.level == 0 ? files_in_level_0++ : 0}];
    const double lookups =
        lookups_of ? lookups_of(file) : static_cast<double>(file.num_entries);
    run.lookups += lookups;
    run.rate_times_lookups += *rate * lookups;
  }
  std::map<int, RateSum> levels;
  RateSum all;
  for (const auto& [place, run] : runs) {
    if (run.lookups == 0) continue;
    const double rate = run.rate_times_lookups / run.lookups;
    levels[place.first].Add(rate);
    all.Add(rate);
  }
  PredictedRates predicted;
  if (unknown.empty() && all.runs > 0) predicted.all = all.mean();
  for (const auto& [level, sum] : levels) {
    if (unknown.count(level) == 0) predicted.levels[level] = sum.mean();
  }
  return predicted;
}

}  // namespace linebloom::tools
