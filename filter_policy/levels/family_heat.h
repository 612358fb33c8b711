// Keeps the heat of a column family's keys while its files change.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "filter_policy/levels/heat_profile.h"
#include "filter_policy/rocksdb/key_sampler.h"
#include "rocksdb/metadata.h"

namespace linebloom {

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
