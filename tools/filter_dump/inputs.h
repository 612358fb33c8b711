// The SSTables that the user named.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/filter_dump/config.h"
#include "tools/filter_dump/live_files.h"

namespace linebloom::tools {

// The files of --db, or those named one by one; the latter have no column
// family and the level kNoLevel.
absl::StatusOr<std::vector<LiveFile>> ListInputs(
    const FilterDumpConfig& config);

// What came of the files that could not be described. They are named on stderr,
// and the others are shown.
class Failures {
 public:
  explicit Failures(const FilterDumpConfig& config) : config_(config) {}

  // Takes note of an error with one file. A live file that is not there is no
  // error while another process has the database open: a compaction took it.
  void Add(const LiveFile& file, const absl::Status& status);

  // Takes note of something wrong that was found.
  void AddProblem(const std::string& problem) {
    problems_.push_back(problem);
    found_something_ = true;
  }

  const std::vector<std::string>& problems() const { return problems_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // 0, 1 where something is wrong with a file, 2 where one can't be read.
  int exit_code() const;

 private:
  const FilterDumpConfig& config_;
  std::vector<std::string> problems_;
  std::vector<std::string> notes_;
  bool found_something_ = false;
  bool bad_input_ = false;
};

}  // namespace linebloom::tools
