#include "filter_policy/levels/heat_profile.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "filter_policy/levels/account.h"

namespace linebloom {
namespace {

// Bounds the memory of a profile. Larger trees have several files in a segment.
constexpr size_t kMaxSegments = 1024;

// Misses that are assumed to fall uniformly, in addition to those that were
// sampled: some, so that a few samples don't decide, and a share of all, in
// case the hot keys change.
constexpr double kUniformMisses = 256;
constexpr double kUniformShare = 0.05;

// Classes differ by a tenth in heat, a seventh of a bit per key.
constexpr double kClassesPerLogHeat = 10;

bool AreInOrder(const std::vector<RunFile>& files) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].largest < files[i].smallest) return false;
    if (i > 0 && files[i].smallest < files[i - 1].largest) return false;
  }
  return !files.empty();
}

using rocksdb::LiveFileMetaData;

// Files of level 0 overlap each other, so none is a run that has all keys.
// Returns -1 if there are no others.
int LargestLevel(const std::vector<const LiveFileMetaData*>& files) {
  std::map<int, uint64_t> rows;
  for (const LiveFileMetaData* file : files) {
    if (file->level > 0) rows[file->level] += file->num_entries;
  }
  const auto largest = std::ranges::max_element(
      rows, {}, [](const auto& of) { return std::pair(of.second, of.first); });
  return largest == rows.end() ? -1 : largest->first;
}

// `run` is in order. A key between two files counts for the first of them.
void CountMisses(const KeySamples& samples, std::vector<RunFile>* run) {
  if (run->empty()) return;
  for (const std::string& key : samples.keys) {
    const auto after = std::ranges::upper_bound(
        std::next(run->begin()), run->end(), key, {}, &RunFile::smallest);
    std::prev(after)->misses += samples.weight;
  }
}

}  // namespace

HeatProfile::HeatProfile(KeyPosition position)
    : position_(std::move(position)) {}

std::shared_ptr<const HeatProfile> HeatProfile::Make(
    const HeatProfile* before, double kept, std::vector<RunFile> files) {
  if (!AreInOrder(files)) return nullptr;
  std::vector<std::string_view> keys;
  for (const RunFile& file : files) {
    keys.insert(keys.end(), {file.smallest, file.largest});
  }
  // Not std::make_shared: the constructor is private.
  const std::shared_ptr<HeatProfile> profile(
      new HeatProfile(KeyPosition(keys)));
  const size_t files_per_segment =
      (files.size() + kMaxSegments - 1) / kMaxSegments;
  Sums sums;
  for (size_t i = 0; i < files.size(); ++i) {
    // Keys before the first file and after the last are in no range, but
    // earlier files may have reached there.
    const std::string_view begin = files[i].smallest;
    if (i % files_per_segment == 0) {
      profile->bounds_.push_back({std::string(begin), sums});
    }
    sums.rows += std::max(files[i].rows, 1.0);
    sums.misses += files[i].misses;
    if (before == nullptr) continue;
    const double from = i == 0 ? 0 : before->Before(begin).misses;
    const double to = i + 1 == files.size()
                          ? before->misses()
                          : before->Before(files[i + 1].smallest).misses;
    sums.misses += kept * (to - from);
  }
  profile->bounds_.push_back({std::move(files.back().largest), sums});
  profile->Classify();
  return profile;
}

// Keys before the first segment belong to it, and keys after the last to that.
size_t HeatProfile::SegmentOf(std::string_view key) const {
  const auto first = std::next(bounds_.begin());
  const auto end = std::ranges::upper_bound(first, std::prev(bounds_.end()),
                                            key, {}, &Bound::key);
  return static_cast<size_t>(end - first);
}

HeatProfile::Sums HeatProfile::Before(std::string_view key) const {
  const size_t segment = SegmentOf(key);
  const auto& [begin, from] = bounds_[segment];
  const auto& [end, to] = bounds_[segment + 1];
  const double part = position_.Between(begin, end, key);
  return {from.rows + part * (to.rows - from.rows),
          from.misses + part * (to.misses - from.misses)};
}

HeatProfile::Part HeatProfile::PartBetween(const Sums& from,
                                           const Sums& to) const {
  Part part;
  part.key_share = (to.rows - from.rows) / total().rows;
  const double uniform = kUniformMisses + kUniformShare * total().misses;
  const double miss_share =
      (to.misses - from.misses + uniform * part.key_share) /
      (total().misses + uniform);
  part.heat = miss_share / part.key_share;
  return part;
}

HeatProfile::Part HeatProfile::PartOf(size_t segment) const {
  return PartBetween(bounds_[segment].before, bounds_[segment + 1].before);
}

std::vector<HeatProfile::Part> HeatProfile::PartsOf(
    std::string_view first, std::string_view last) const {
  std::vector<Part> parts;
  const size_t end = SegmentOf(last);
  Sums from = Before(first);
  for (size_t i = SegmentOf(first); i <= end; ++i) {
    const Sums to = i == end ? Before(last) : bounds_[i + 1].before;
    // Ranges too small to be told apart have the heat of the segment.
    if (to.rows - from.rows > 1e-6 * total().rows) {
      parts.push_back(PartBetween(from, to));
    }
    from = to;
  }
  if (parts.empty()) parts.push_back(PartOf(end));
  return parts;
}

double HeatProfile::HeatOf(std::string_view first,
                           std::string_view last) const {
  double keys = 0;
  double misses = 0;
  for (const Part& part : PartsOf(first, last)) {
    keys += part.key_share;
    misses += part.key_share * part.heat;
  }
  return misses / keys;
}

void HeatProfile::Classify() {
  std::map<int, Part> classes;
  for (size_t i = 0; i + 1 < bounds_.size(); ++i) {
    const Part part = PartOf(i);
    Part& of_class = classes[static_cast<int>(
        std::lround(kClassesPerLogHeat * std::log(part.heat)))];
    of_class.heat =
        (of_class.heat * of_class.key_share + part.heat * part.key_share) /
        (of_class.key_share + part.key_share);
    of_class.key_share += part.key_share;
  }
  for (const auto& [number, part] : classes) classes_.push_back(part);
}

void FamilyHeat::Update(const std::vector<const LiveFileMetaData*>& files,
                        Clock::time_point now) {
  if (user_ == nullptr) return;
  KeySamples missing = user_->sampler->Take();
  if (HeatUser::IsShared(user_)) missing.keys.clear();
  const int largest = LargestLevel(files);
  std::vector<RunFile> run;
  ranges_.clear();
  for (const LiveFileMetaData* file : files) {
    ranges_[FileNameOf(file->name)] = {file->smallestkey, file->largestkey};
    if (file->level != largest) continue;
    run.push_back({file->smallestkey, file->largestkey,
                   static_cast<double>(file->num_entries)});
  }
  std::ranges::sort(run, {}, &RunFile::smallest);
  CountMisses(missing, &run);
  // Earlier misses count half after each half-life.
  const double age = std::chrono::duration<double>(now - updated_).count();
  const double kept =
      profile_ == nullptr
          ? 0
          : std::exp2(-std::max(0.0, age / user_->half_life_seconds));
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
