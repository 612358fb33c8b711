#include "tools/io_compare/prediction.h"

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
    const std::function<double(const rocksdb::LiveFileMetaData&)>& share_of) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  std::vector<FileRange> ranges;
  for (const rocksdb::LiveFileMetaData& file : live) {
    ranges.push_back({file.smallestkey, file.largestkey,
                      static_cast<double>(file.num_entries)});
  }
  const std::vector<double> shares =
      ProbeShares(ranges, *db->DefaultColumnFamily()->GetComparator());
  struct Sums {
    double probes = 0;
    double reads = 0;
    bool known = true;

    void Add(double share, const std::optional<double>& rate) {
      probes += share;
      reads += share * rate.value_or(0);
      known &= rate.has_value();
    }
    bool has_rate() const { return known && probes > 0; }
  };
  std::map<int, Sums> levels;
  Sums all;
  for (size_t i = 0; i < live.size(); ++i) {
    const double share = share_of ? share_of(live[i]) : shares[i];
    const std::optional<double> rate =
        RateOfFile(absl::StrCat(live[i].db_path, live[i].name));
    levels[live[i].level].Add(share, rate);
    all.Add(share, rate);
  }
  PredictedRates predicted;
  if (all.has_rate()) predicted.all = all.reads / all.probes;
  for (const auto& [level, sums] : levels) {
    if (sums.has_rate()) predicted.levels[level] = sums.reads / sums.probes;
  }
  return predicted;
}

}  // namespace linebloom::tools
