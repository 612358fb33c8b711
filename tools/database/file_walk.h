// One way through the files of a database for all subcommands, and what is
// wrong with them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/sst_file.h"
#include "tools/database/database_facts.h"
#include "tools/database/databases.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// True if lookups use the file's filter.
bool HasUsedFilter(const SstFile& file);

// The files of a column family, by their metadata.
struct FamilyFiles {
  uint64_t files = 0;
  uint64_t filtered = 0;  // with filters that lookups use
  // By the policies that wrote these.
  std::map<std::string, uint64_t> policies;
  // With rows, but no policy decided on a filter.
  uint64_t without_policy = 0;

  void Add(const FamilyFiles& more);
};

struct Findings {
  uint64_t files = 0;  // that were there
  std::map<std::string, FamilyFiles> families;
  // A sentence for each fault of a file, and for each column family with files
  // that lookups read for want of a filter: written without a policy, though
  // its options name one or did, or with one that they have lost.
  std::vector<std::string> problems;
  std::vector<std::string> notes;
  std::vector<absl::Status> unreadable;  // of the problems
  // kExitBadInput if a file can't be read; else Outcome's default.
  std::optional<int> exit_code;

  void AddTo(Json* report) const;
};

using Visit = absl::FunctionRef<absl::Status(
    const LiveFile& live, const SstFile& file, Findings* findings)>;

// Opens each file for `visit`, whose errors are problems of that file, as are
// those of opening it. A file that is missing because a compaction has removed
// it meanwhile is only noted. Ends early after a signal. `step` is for
// Progress.
Findings WalkFiles(const DatabaseFacts& database, absl::string_view step,
                   Visit visit);

}  // namespace linebloom::tools
