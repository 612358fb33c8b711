// The SSTables that the user named.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rocksdb/comparator.h"
#include "tools/filter_dump/commands.h"

namespace linebloom::tools {

// The level of files that don't come from a database.
inline constexpr int kNoLevel = -1;

struct LiveFile {
  std::string path;
  std::string column_family;
  int level = kNoLevel;
  std::string smallest;  // key
  std::string largest;
  // Of a file from a database; it lives as long as the program.
  const rocksdb::Comparator* comparator = nullptr;
};

// The files named individually, without a column family and with the level
// kNoLevel; or the live SSTables of --db: column families by age, then levels,
// newest first in L0. InvalidArgument if it has no --column_family of that
// name; else the errors of ReadOnlyDatabase.
absl::StatusOr<std::vector<LiveFile>> ListInputs(
    const FilterDumpConfig& config);

// Collects the problems of files and names them on stderr; the other files are
// shown.
class Failures {
 public:
  explicit Failures(const FilterDumpConfig& config) : config_(config) {}

  // Records an error with one file. A missing live file is not an error while
  // another process has the database open: a compaction removed it.
  void Add(const LiveFile& file, const absl::Status& status);

  // Records a problem that was found.
  void AddProblem(const std::string& problem) {
    problems_.push_back(problem);
    found_something_ = true;
  }

  const std::vector<std::string>& problems() const { return problems_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // 0, 1 if something is wrong with a file, or 2 if one can't be read.
  int exit_code() const;

 private:
  const FilterDumpConfig& config_;
  std::vector<std::string> problems_;
  std::vector<std::string> notes_;
  bool found_something_ = false;
  bool bad_input_ = false;
};

}  // namespace linebloom::tools
