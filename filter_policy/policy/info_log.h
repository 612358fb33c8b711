// What a policy reports to the info logs of its databases: each warning once,
// each figure when it has changed.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "filter_policy/levels/file_plan.h"
#include "filter_policy/levels/heat_profile.h"
#include "rocksdb/comparator.h"
#include "rocksdb/env.h"
#include "rocksdb/status.h"

namespace linebloom {

// Thread-safe. A null info log takes nothing.
class InfoLog {
 public:
  // Warns, once per database, that filters are built with `instead`.
  void WarnOfOptions(rocksdb::Logger* info_log, const rocksdb::Status& problem,
                     const std::string& instead);

  // Notes a column family that the policy is for, when RocksDB validates its
  // options. There is no log then.
  void NoteComparator(const rocksdb::Comparator* comparator);

  // Warns, once per database, if a comparator that was noted may call keys of
  // different bytes equal. RocksDB doesn't say whose column family is whose, so
  // databases that share a policy each get the warning.
  void WarnOfComparator(rocksdb::Logger* info_log);

  // Writes what a memory budget comes to if the bits of new files have changed
  // by a quarter since the last line, or if the filters have started or stopped
  // exceeding the budget. Below one bit per key, and above the budget, it is a
  // warning.
  void WriteBudget(rocksdb::Logger* info_log, uint64_t budget,
                   const BudgetState& state);

  // Writes how unevenly lookups fall if the heat of the hottest or the coldest
  // keys has changed by half since the last line.
  void WriteHeat(rocksdb::Logger* info_log, const HeatProfile& heat);

 private:
  using Logs = std::set<const rocksdb::Logger*>;

  // False if the log is null or in `logs` already.
  bool IsNew(const rocksdb::Logger* info_log, Logs* logs);

  std::mutex mutex_;
  Logs warned_of_options_;
  Logs warned_of_comparator_;
  std::string comparator_;  // empty: none to warn of
  double last_average_ = 0;
  bool was_over_ = false;
  double last_hottest_ = 1;
  double last_coldest_ = 1;
};

}  // namespace linebloom
