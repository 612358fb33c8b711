#include "tools/filter_dump/inputs.h"

#include "absl/strings/str_cat.h"
#include "tools/shared/command_line.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {

absl::StatusOr<std::vector<LiveFile>> ListInputs(
    const FilterDumpConfig& config) {
  if (!config.db.empty()) return ListLiveFiles(config.db, config.column_family);
  std::vector<LiveFile> files;
  for (const std::string& path : config.files) {
    files.push_back({path, "", kNoLevel});
  }
  return files;
}

void Failures::Add(const LiveFile& file, const absl::Status& status) {
  if (absl::IsNotFound(status) && !config_.db.empty()) {
    if (!CheckUnlockedDatabase("--db", config_.db).ok()) {
      notes_.push_back(absl::StrCat(
          file.path,
          " has gone since the manifest was read: the process that "
          "has the database open took it away"));
      return;
    }
    AddProblem(absl::StrCat(file.path,
                            ": the manifest has this file, the "
                            "folder does not"));
    return;
  }
  problems_.emplace_back(status.message());
  (absl::IsDataLoss(status) ? found_something_ : bad_input_) = true;
}

int Failures::exit_code() const {
  if (bad_input_) return kExitBadInput;
  return found_something_ ? kExitFoundSomething : kExitFine;
}

}  // namespace linebloom::tools
