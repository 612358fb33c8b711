// What the filters of all databases that one listener serves take, and how much
// more a file may take of a memory budget.
//
// The listener books files as they come to live and go; a filter is booked by
// its builder when it is built, for only then it is known how many keys it has,
// and files that are written at the same time then know of each other.
//
// What is booked is the most that the filters of live files come to, in
// whatever order the jobs end that are under way: a compaction's inputs or its
// outputs, whichever are larger. Rejected: inputs and outputs, which would
// leave nothing to others while a large compaction runs.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace linebloom {

// The filters of some files.
struct FilterTotals {
  double keys = 0;  // and prefixes
  double bits = 0;
  // Keys of files whose filters are not known yet. They are taken to have as
  // many bits as an equal share of the budget gives them.
  double unknown_keys = 0;

  double all_keys() const { return keys + unknown_keys; }
};

// A file that is being written.
struct FilterPlace {
  std::string database;  // its path
  int job = 0;
  std::string file;  // its name
};

struct FilterRequest {
  double budget = 0;        // in bits
  double bits_per_key = 0;  // that are wanted
  double keys = 0;          // of this filter or partition
  // Of the file, of which partitions before this one may be booked; 0: unknown.
  // Of a compaction it is known better.
  double expected_keys = 0;
  bool is_flush = false;
  // Whether the file is going to be of the largest run of its tree, which gets
  // what the others leave.
  bool of_largest_run = false;
  // Bits that the files take that are flushed until the next compaction of
  // level 0, which the largest run leaves to them.
  double for_flushes = 0;
};

// Thread-safe.
class FilterAccount {
 public:
  // Changes whenever the account of a database does. To be asked before a look
  // at its files.
  uint64_t VersionOf(const std::string& database) const;

  // The filters of the database's live files, as seen since VersionOf()
  // returned `version`; ignored if the account has changed since, for the look
  // may be out of date, and what has changed is booked. `installed` are the
  // files among them that builders have booked. A compaction installs all of
  // its files at once, so that of one of them has ended.
  void SetLive(const std::string& database, uint64_t version,
               const FilterTotals& live,
               const std::set<std::string>& installed);

  // The files of a database that builders have booked and that are not known to
  // be live.
  std::set<std::string> FilesUnderWay(const std::string& database) const;

  // A compaction that reads files with these filters.
  void BeginCompaction(const std::string& database, int job,
                       const FilterTotals& inputs);

  // What the job wrote is live, and what it read is not, or nothing came of it.
  void EndJob(const std::string& database, int job, bool installed);

  // A file that was booked is not going to be live.
  void DropFile(const std::string& database, const std::string& file);

  // A database that was closed.
  void Forget(const std::string& database);

  // The filters of all live files of all databases.
  FilterTotals Live() const;

  // How many bits per key the filter may have; less than 1: none. Offer() only
  // looks.
  double Offer(const FilterPlace& place, const FilterRequest& request) const;
  double Take(const FilterPlace& place, const FilterRequest& request);

  // Whether a policy has asked, so that it is worth while to learn what the
  // filters of old files take.
  bool is_used() const;

 private:
  struct Job {
    bool is_compaction = false;  // one whose inputs are known
    FilterTotals inputs;
    std::map<std::string, FilterTotals> outputs;  // by file

    FilterTotals OutputTotals() const;
  };
  using JobId = std::pair<std::string, int>;

  double Allowed(const FilterPlace& place, const FilterRequest& request) const;
  // Bits that may come to be live, but for those of a compaction.
  double BitsBut(const JobId& but, double bits_per_unknown_key) const;

  mutable std::mutex mutex_;
  mutable bool used_ = false;
  std::map<std::string, FilterTotals> live_;  // by database
  std::map<std::string, uint64_t> versions_;  // by database
  FilterTotals all_live_;
  std::map<JobId, Job> jobs_;
};

}  // namespace linebloom
