// Remembers, by info log, what a database's log already says.
#pragma once

#include <mutex>
#include <set>

#include "rocksdb/env.h"

namespace linebloom {

// Thread-safe.
class LogSet {
 public:
  // False if the log is null or was inserted before.
  bool Insert(const rocksdb::Logger* info_log) {
    if (info_log == nullptr) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    return logs_.insert(info_log).second;
  }

 private:
  std::mutex mutex_;
  std::set<const rocksdb::Logger*> logs_;
};

}  // namespace linebloom
