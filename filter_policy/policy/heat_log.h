// Reports to the info log how unevenly lookups fall.
#pragma once

#include <mutex>

#include "filter_policy/levels/heat_profile.h"
#include "rocksdb/env.h"

namespace linebloom {

// Thread-safe.
class HeatLog {
 public:
  // Writes a line if the heat of the hottest or the coldest keys has changed by
  // half since the last line.
  void Write(rocksdb::Logger* info_log, const HeatProfile& heat);

 private:
  std::mutex mutex_;
  double last_hottest_ = 1;
  double last_coldest_ = 1;
};

}  // namespace linebloom
