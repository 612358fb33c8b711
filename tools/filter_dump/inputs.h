// The SSTables that the user named.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/filter_dump/config.h"
#include "tools/filter_dump/live_files.h"

namespace linebloom::tools {

// The files of --db, or those named individually, which have no column family
// and the level kNoLevel.
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
