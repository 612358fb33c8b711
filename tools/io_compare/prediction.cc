#include "tools/io_compare/prediction.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "filter_policy/filter_facts/expected_reads.h"
#include "filter_policy/filter_facts/file_facts.h"

namespace linebloom::tools {
namespace {

std::optional<double> RateOfFile(const std::string& path) {
  const auto file = OpenFilterFile(path);
  if (!file.ok()) return std::nullopt;
  const auto facts = ReadFileFacts(*file);
  if (!facts.ok() || !facts->is_used()) return std::nullopt;
  const BlockKind kind = facts->first.kind;
  if (kind == BlockKind::kReserved || kind == BlockKind::kInconsistent) {
    return std::nullopt;
  }
  return facts->rate;
}

}  // namespace

PredictedRates PredictFalsePositiveRates(
    rocksdb::DB* db,
    const std::function<double(const rocksdb::LiveFileMetaData&)>& lookups_of) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  ExpectedReads reads;
  std::map<int, int> runs;  // by level: 1, and in level 0 the number of files
  std::set<int> unknown;    // levels
  for (const rocksdb::LiveFileMetaData& file : live) {
    const std::optional<double> rate =
        RateOfFile(absl::StrCat(file.db_path, file.name));
    if (!rate.has_value()) {
      unknown.insert(file.level);
      continue;
    }
    reads.Add(
        file.level,
        lookups_of ? lookups_of(file) : static_cast<double>(file.num_entries),
        *rate);
    int& of_level = runs[file.level];
    of_level = file.level == 0 ? of_level + 1 : 1;
  }
  PredictedRates predicted;
  int all_runs = 0;
  for (const auto& [level, of_level] : runs) {
    all_runs += of_level;
    if (unknown.count(level) > 0) continue;
    predicted.levels[level] = reads.OfLevel(level) / of_level;
  }
  if (unknown.empty() && all_runs > 0) predicted.all = reads.All() / all_runs;
  return predicted;
}

}  // namespace linebloom::tools
