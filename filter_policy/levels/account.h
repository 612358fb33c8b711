// Keeps account of how much memory the filters of all databases of a listener
// take, and how much more of a memory budget a file may take.
//
// The listener books files when they become live and when they are deleted. A
// builder books its filter when it builds it: only then is the number of keys
// known, and files that are written at the same time see each other's bookings.
//
// The account holds the most that the filters of live files can come to, in
// whatever order the running jobs end: a compaction's inputs or its outputs,
// whichever are larger. Rejected: inputs plus outputs, which would leave
// nothing for other files while a large compaction runs.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "filter_policy/levels/tree_state.h"

namespace linebloom {

// A file's name without its folder, which is unique because a database never
// reuses a file number.
std::string FileNameOf(const std::string& path);

// A file that is being written.
struct FilterPlace {
  std::string database;  // its path
  int job = 0;
  std::string file;  // its name
};

struct BudgetRequest {
  double budget = 0;        // in bits
  double bits_per_key = 0;  // wanted
  // What the filter gets even if the budget is used up; less than 1: none.
  // Without a burst, files of the largest run get only a part of it.
  double least_bits = 0;
  double keys = 0;  // of this filter or partition
  // The keys expected in the whole file, some of whose partitions may be booked
  // already; 0 if `keys` are all, or unknown. For compactions the account knows
  // better.
  double expected_keys = 0;
  bool is_flush = false;
  // True for a compaction into the largest run.
  bool is_of_largest_run = false;
  // True if the file is written while its database is being opened, when
  // nothing is known of its other files.
  bool is_recovery = false;
};

// Thread-safe.
class FilterAccount {
 public:
  // A number that changes with every job of the database that ends. Call this
  // before listing its files for SetLive().
  uint64_t VersionOf(const std::string& database) const;

  // Replaces what is known of the database's live files by `live`, which was
  // listed after VersionOf() returned `version`. Returns false, and does
  // nothing, if the account has changed since: the list may be out of date, and
  // the change is booked. `installed` names the listed files that builders have
  // booked. A compaction installs all of its files at once, so one of them
  // shows that it has ended.
  bool SetLive(const std::string& database, uint64_t version,
               const FilterTotals& live,
               const std::set<std::string>& installed);

  // The files of a database that builders have booked and that aren't known to
  // be live yet.
  std::set<std::string> FilesUnderWay(const std::string& database) const;

  // Begins a compaction whose input files have the filters `inputs`.
  void BeginCompaction(const std::string& database, int job,
                       const FilterTotals& inputs);

  // Ends a job that has changed the filters of the live files by `change`.
  void EndJob(const std::string& database, int job, const FilterTotals& change);

  // Drops a booked file that will never be live.
  void DropFile(const std::string& database, const std::string& file);

  // Notes that a policy of the database has this budget. Returns another one
  // that a policy of any database had at its last file; 0 if there is none.
  uint64_t NoteBudget(const std::string& database, uint64_t budget);

  // Forgets a database that was closed.
  void Forget(const std::string& database);

  // The filters of the live files of all databases.
  FilterTotals Live() const;

  // Returns how many bits per key the filter may have; less than 1 means none.
  // ReserveBits() books them, EstimateBits() only the file: a compaction may
  // build no filter, and its files show that it has ended.
  double EstimateBits(const FilterPlace& place, const BudgetRequest& request);
  double ReserveBits(const FilterPlace& place, const BudgetRequest& request);

 private:
  struct Database {
    FilterTotals live;
    uint64_t version = 0;
    uint64_t budget = 0;  // 0: none was noted
  };
  struct Job {
    bool is_compaction = false;  // one whose inputs are known
    FilterTotals inputs;
    std::map<std::string, FilterTotals> outputs;  // by file

    FilterTotals OutputTotals() const;
  };
  using JobId = std::pair<std::string, int>;

  double Allowed(const FilterPlace& place, const BudgetRequest& request) const;
  double AllowedInRecovery(const BudgetRequest& request) const;
  void BookRecovered(const std::string& database, double bits);
  // The most bits that can become live, apart from those of one compaction.
  double BitsBut(const JobId& but, double bits_per_unknown_key) const;

  mutable std::mutex mutex_;
  std::map<std::string, Database> databases_;  // by path
  FilterTotals all_live_;
  std::map<JobId, Job> jobs_;
  // The bits of the filters written while a database was opened, until its
  // files are listed. A database that is closed before that is dropped when
  // enough others have followed.
  std::deque<std::pair<std::string, double>> recovered_;
};

}  // namespace linebloom
