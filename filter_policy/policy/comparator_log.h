// Warns in the info log of filters that tell keys apart which their comparator
// calls equal.
#pragma once

#include <mutex>
#include <string>

#include "filter_policy/policy/log_set.h"
#include "rocksdb/comparator.h"
#include "rocksdb/env.h"

namespace linebloom {

// Thread-safe.
class ComparatorLog {
 public:
  // Notes a column family that the policy is for, when RocksDB validates its
  // options. There is no log then.
  void Note(const rocksdb::Comparator* comparator);

  // Writes a warning if a comparator that was noted may call keys of different
  // bytes equal, once per database. RocksDB doesn't say whose column family is
  // whose, so databases that share a policy each get the warning.
  void Write(rocksdb::Logger* info_log);

 private:
  std::mutex mutex_;
  std::string comparator_;  // empty: none to warn of
  LogSet warned_;
};

}  // namespace linebloom
