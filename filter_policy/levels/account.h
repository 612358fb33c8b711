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
#include <functional>
#include <map>
#include <mutex>
#include <optional>
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
  double keys = 0;  // of this filter or partition; 0: books only the file
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
  // Begins a compaction whose input files have the filters `inputs`.
  void BeginCompaction(const std::string& database, int job,
                       const FilterTotals& inputs);

  // Ends a job, after which the live files have the filters `live`.
  void EndJob(const std::string& database, int job, const FilterTotals& live);

  // Replaces what is known of the database's live files by `live`. `is_live`
  // tells whether a file that builders have booked is one of them. A compaction
  // installs all of its files at once, so one of them shows that it has ended.
  void SetLive(const std::string& database, const FilterTotals& live,
               const std::function<bool(const std::string& file)>& is_live);

  // Drops a booked file that will never be live.
  void DropFile(const std::string& database, const std::string& file);

  // Drops what a flush has booked.
  void DropFlush(const std::string& database, int job);

  // Notes that a policy of the database has this budget. Returns another one
  // that a policy of any database had at its last file; 0 if there is none.
  uint64_t NoteBudget(const std::string& database, uint64_t budget);

  // Forgets a database that was closed.
  void Forget(const std::string& database);

  // The filters of the live files of all databases.
  FilterTotals Live() const;

  // Returns how many bits per key the filter may have, and books them; less
  // than 1 means none. Without keys that is an estimate. It books the file: a
  // compaction may build no filter, and its files show that it has ended.
  //
  // A compaction that didn't begin is one by CompactFiles(), of which RocksDB
  // tells nothing up to 9.11. It gets what it wants, in place of what its
  // unknown inputs have, and books nothing: until the files are listed the
  // inputs count.
  double Reserve(const FilterPlace& place, const BudgetRequest& request);

 private:
  struct Job {
    std::optional<FilterTotals> inputs;           // of a compaction
    std::map<std::string, FilterTotals> outputs;  // by file
    FilterTotals written;                         // the sum of `outputs`
  };
  struct Database {
    FilterTotals live;
    uint64_t budget = 0;  // 0: none was noted
    std::map<int, Job> jobs;

    // Drops the booked files for which `is_done`, and with the last one a
    // flush: RocksDB says nothing of the end of one that failed.
    void DropOutputs(
        const std::function<bool(const std::string& file)>& is_done,
        bool ends_compactions);
  };

  FilterTotals AllLive() const;
  double Allowed(const BudgetRequest& request, const Job& job,
                 double keys_of_file) const;
  double ReserveInRecovery(const std::string& database,
                           const BudgetRequest& request);
  // The most bits that can become live, apart from those of one compaction.
  double BitsBut(const Job& but, double bits_per_unknown_key) const;

  mutable std::mutex mutex_;
  std::map<std::string, Database> databases_;  // by path
  // The bits of the filters written while a database was opened, until its
  // files are listed. A database that is closed before that is dropped when
  // enough others have followed.
  std::deque<std::pair<std::string, double>> recovered_;
};

}  // namespace linebloom
