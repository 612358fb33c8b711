// How lookups of missing keys are distributed over the keys, in key order.
//
// The files of the largest run divide the keys into ranges with about as many
// rows each. A lookup of a missing key probes all runs, so one profile serves
// every run. It outlives the files: a compaction replaces them, but not the
// keys.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "filter_policy/levels/key_position.h"
#include "filter_policy/rocksdb/key_sampler.h"
#include "rocksdb/metadata.h"

namespace linebloom {

struct KeyRange {
  std::string first;
  std::string last;
};

// A file of the largest run.
struct RunFile {
  std::string smallest;
  std::string largest;
  double rows = 0;
  double misses = 0;  // sampled since the last profile
};

// Immutable.
class HeatProfile {
 public:
  // Returns the profile after `before`, which may be null, whose misses
  // count `kept` times (0 to 1). `files` are all files of a run, in the
  // bytewise order of their keys, with disjoint ranges; null if they are not,
  // as with another comparator.
  static std::shared_ptr<const HeatProfile> Make(const HeatProfile* before,
                                                 double kept,
                                                 std::vector<RunFile> files);

  // A range of keys with the same heat.
  struct Part {
    double key_share = 0;  // of all keys
    // Misses per key, relative to the average over all keys.
    double heat = 1;
  };

  // The keys from `first` to `last`, cut where the heat changes.
  std::vector<Part> PartsOf(std::string_view first,
                            std::string_view last) const;

  // All keys, those of about the same heat together.
  const std::vector<Part>& classes() const { return classes_; }

  // The mean heat of the keys from `first` to `last`.
  double HeatOf(std::string_view first, std::string_view last) const;

  // The sampled misses that the profile is based on.
  double misses() const { return total_.misses; }

 private:
  // The sums of all keys before one.
  struct Sums {
    double rows = 0;
    double misses = 0;
  };
  struct Segment {
    std::string begin;
    Sums before;
  };

  explicit HeatProfile(KeyPosition position);
  size_t SegmentOf(std::string_view key) const;
  const Sums& EndOf(size_t segment) const;
  Sums Before(std::string_view key) const;
  Part PartBetween(const Sums& from, const Sums& to) const;
  void Classify();

  KeyPosition position_;
  std::vector<Segment> segments_;  // at least one
  std::string end_;                // the largest key
  Sums total_;
  std::vector<Part> classes_;
};

// Keeps the heat of a column family's keys while its files change.
class FamilyHeat {
 public:
  using Clock = std::chrono::steady_clock;  // one that never jumps

  // `files` are the family's live ones, `samples` the missing keys since the
  // last update. Earlier ones count half after each half-life, which is more
  // than 0.
  void Update(const std::vector<const rocksdb::LiveFileMetaData*>& files,
              const KeySamples& samples,
              std::chrono::duration<double> half_life, Clock::time_point now);

  // Null until anything is known.
  const std::shared_ptr<const HeatProfile>& profile() const { return profile_; }

  // The range of the files with these paths; nothing if one was not there at
  // the last update.
  std::optional<KeyRange> RangeOf(const std::vector<std::string>& paths) const;

 private:
  std::shared_ptr<const HeatProfile> profile_;
  Clock::time_point updated_;
  std::unordered_map<std::string, KeyRange> ranges_;
};

}  // namespace linebloom
