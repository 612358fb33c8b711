// How lookups are distributed over the keys, in key order.
//
// RocksDB samples one lookup in 1,024 and adds 1,024 to
// SstFileMetaData::num_reads_sampled of each file that it reaches, before the
// filter is probed. Every lookup of a missing key reaches at most one file of
// each sorted run, so the files of the largest run say where all of them fall,
// and a profile by key serves every run. It outlives the files: a compaction
// replaces them, but not the keys.
//
// Lookups that find their key in the largest run count too, although no filter
// can spare them: RocksDB doesn't tell them apart. Rejected: counting negatives
// in our reader. RocksDB creates it from the filter's bytes alone, so it can't
// tell which file or keys it serves.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filter_policy/levels/key_position.h"

namespace linebloom {

struct KeyRange {
  std::string first;
  std::string last;
};

// A file of the largest run.
struct ReadFile {
  std::string smallest;
  std::string largest;
  double rows = 0;
  double reads = 0;  // since the last profile
};

// Immutable.
class HeatProfile {
 public:
  // Returns the profile after `before`, which may be null, whose reads count
  // `kept` times (0 to 1). `files` are all files of a run, in the bytewise
  // order of their keys, with disjoint ranges; null if they are not, as with
  // another comparator.
  static std::shared_ptr<const HeatProfile> Make(const HeatProfile* before,
                                                 double kept,
                                                 std::vector<ReadFile> files);

  // A range of keys with the same heat.
  struct Part {
    double key_share = 0;  // of all keys
    // Lookups per key, relative to the average over all keys.
    double heat = 1;
  };

  // The keys from `first` to `last`, cut where the heat changes.
  std::vector<Part> PartsOf(std::string_view first,
                            std::string_view last) const;

  // All keys, those of about the same heat together.
  const std::vector<Part>& classes() const { return classes_; }

  // The mean heat of the keys from `first` to `last`.
  double HeatOf(std::string_view first, std::string_view last) const;

  // The reads that the profile is based on.
  double reads() const { return total_.reads; }

 private:
  // The sums of all keys before one.
  struct Sums {
    double rows = 0;
    double reads = 0;
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

}  // namespace linebloom
