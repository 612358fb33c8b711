// How lookups of missing keys are distributed over the keys, in key order.
//
// The files of the largest run divide the keys into ranges with about as many
// rows each. A lookup of a missing key probes all runs, so one profile serves
// every run. It outlives the files: a compaction replaces them, but not the
// keys.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "filter_policy/levels/key_position.h"
#include "filter_policy/policy/key_sampler.h"
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
  double misses() const { return total().misses; }

 private:
  // The sums of all keys before one.
  struct Sums {
    double rows = 0;
    double misses = 0;
  };
  // The beginning of a segment of the keys, or the end of the last one.
  struct Bound {
    std::string key;
    Sums before;
  };

  explicit HeatProfile(KeyPosition position);
  size_t SegmentOf(std::string_view key) const;
  Sums Before(std::string_view key) const;
  const Sums& total() const { return bounds_.back().before; }
  Part PartBetween(const Sums& from, const Sums& to) const;
  Part PartOf(size_t segment) const;
  void Classify();

  KeyPosition position_;
  std::vector<Bound> bounds_;  // at least two
  std::vector<Part> classes_;
};

// A policy with heat_aware.
struct HeatUser {
  const std::shared_ptr<KeySampler> sampler = std::make_shared<KeySampler>();
  std::atomic<double> half_life_seconds = 0;

  // A reader knows no column family, so nothing is learned from the keys of
  // several. True if `user`, which its policy holds as well, is in use for more
  // than one. (Every copy counts, if only for a moment, as a parameter by value
  // or a pointer converted from one of another type.)
  static bool IsShared(const std::shared_ptr<HeatUser>& user) {
    return user.use_count() > 2;
  }
};

// Keeps the heat of a column family's keys while its files change.
class FamilyHeat {
 public:
  using Clock = std::chrono::steady_clock;  // one that never jumps

  // A policy builds the family's filters by heat.
  void Use(const std::shared_ptr<HeatUser>& user) {
    if (user_ != user) user_ = user;  // libc++ would copy it first
  }
  bool is_used() const { return user_ != nullptr; }

  // Learns from the keys that the policy's filters have rejected since the last
  // update, if heat is used. `files` are the family's live ones.
  void Update(const std::vector<const rocksdb::LiveFileMetaData*>& files,
              Clock::time_point now);

  // Null until anything is known.
  const std::shared_ptr<const HeatProfile>& profile() const { return profile_; }

  // The range of the files with these paths; nothing if one was not there at
  // the last update.
  std::optional<KeyRange> RangeOf(const std::vector<std::string>& paths) const;

 private:
  std::shared_ptr<HeatUser> user_;
  std::shared_ptr<const HeatProfile> profile_;
  Clock::time_point updated_;
  std::unordered_map<std::string, KeyRange> ranges_;
};

}  // namespace linebloom
