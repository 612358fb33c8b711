// What a policy reports to the info logs of its databases: each warning once,
// each figure when it has changed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "filter_policy/levels/file_plan.h"
#include "filter_policy/levels/heat_profile.h"
#include "rocksdb/comparator.h"
#include "rocksdb/env.h"
#include "rocksdb/status.h"

namespace linebloom {

// Thread-safe. A null info log takes nothing.
//
// A database is known by its log's address, which the next database's log may
// get. So whenever one is opened, all is forgotten except for logs known to
// live: one that stays open may get a line again.
class InfoLog {
 public:
  // Call when RocksDB validates options. `info_log` is null if a database is
  // being opened that will make its own.
  void NoteOpening(const std::shared_ptr<rocksdb::Logger>& info_log);

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

  // Warns, once per database, that the policy `id` has level_aware, but the
  // database no listener.
  void WarnOfListener(rocksdb::Logger* info_log, const std::string& id);

  // Writes what a memory budget comes to, if the bits of new files have changed
  // by a quarter since the last line or filters have begun or ceased to exceed
  // it. A warning below one bit per key, above the budget, and, once per
  // database, if another policy of the listener has another one.
  void WriteBudget(rocksdb::Logger* info_log, uint64_t budget,
                   const BudgetState& state);

  // Warns, once per database, that a heat-aware policy has several column
  // families.
  void WarnOfSharing(rocksdb::Logger* info_log);

  // Writes how unevenly misses fall if the heat of the hottest or the coldest
  // keys has changed by half since the last line.
  void WriteHeat(rocksdb::Logger* info_log, const HeatProfile& heat);

 private:
  // What a log was told.
  struct Told {
    // The log itself, if it is known: one that expired had its address.
    std::weak_ptr<rocksdb::Logger> log;
    bool is_known = false;
    bool options = false;
    bool comparator = false;
    bool listener = false;
    bool sharing = false;
    bool budgets = false;
    double last_average = 0;
    bool was_over = false;
    double last_hottest = 1;
    double last_coldest = 1;
  };

  // True the first time, if the log isn't null.
  bool IsNew(const rocksdb::Logger* info_log, bool Told::*what);

  std::mutex mutex_;
  std::map<const rocksdb::Logger*, Told> told_;
  std::string comparator_;  // empty: none to warn of
};

}  // namespace linebloom
