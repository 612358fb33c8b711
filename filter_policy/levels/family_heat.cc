#include "filter_policy/levels/family_heat.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "filter_policy/levels/account.h"

namespace linebloom {
namespace {

using rocksdb::LiveFileMetaData;

// Files of level 0 overlap each other, so none is a run that has all keys.
// Returns -1 if there are no others.
int LargestLevel(const std::vector<const LiveFileMetaData*>& files) {
  std::map<int, uint64_t> rows;
  for (const LiveFileMetaData* file : files) {
    if (file->level > 0) rows[file->level] += file->num_entries;
  }
  int largest = -1;
  for (const auto& [level, of_level] : rows) {
    if (largest < 0 || of_level >= rows[largest]) largest = level;
  }
  return largest;
}

// `run` is in order. A key between two files counts for the first of them.
void CountMisses(const KeySamples& samples, std::vector<RunFile>* run) {
  if (run->empty()) return;
  for (const std::string& key : samples.keys) {
    const auto after = std::upper_bound(
        std::next(run->begin()), run->end(), key,
        [](const std::string& a, const RunFile& b) { return a < b.smallest; });
    std::prev(after)->misses += samples.weight;
  }
}

}  // namespace

void FamilyHeat::Update(const std::vector<const LiveFileMetaData*>& files,
                        const KeySamples& samples,
                        std::chrono::duration<double> half_life,
                        Clock::time_point now) {
  const int largest = LargestLevel(files);
  std::vector<RunFile> run;
  ranges_.clear();
  for (const LiveFileMetaData* file : files) {
    ranges_[FileNameOf(file->name)] = {file->smallestkey, file->largestkey};
    if (file->level != largest) continue;
    run.push_back({file->smallestkey, file->largestkey,
                   static_cast<double>(file->num_entries)});
  }
  std::sort(run.begin(), run.end(), [](const RunFile& a, const RunFile& b) {
    return a.smallest < b.smallest;
  });
  CountMisses(samples, &run);
  const std::chrono::duration<double> age = now - updated_;
  const double kept =
      profile_ == nullptr ? 0 : std::exp2(-std::max(0.0, age / half_life));
  profile_ = HeatProfile::Make(profile_.get(), kept, std::move(run));
  updated_ = now;
}

std::optional<KeyRange> FamilyHeat::RangeOf(
    const std::vector<std::string>& paths) const {
  std::optional<KeyRange> range;
  for (const std::string& path : paths) {
    const auto file = ranges_.find(FileNameOf(path));
    if (file == ranges_.end()) return std::nullopt;
    if (!range) {
      range = file->second;
    } else {
      range->first = std::min(range->first, file->second.first);
      range->last = std::max(range->last, file->second.last);
    }
  }
  return range;
}

}  // namespace linebloom
