// The SSTables that the user named, and their reports, of dump and verify.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "table/file_facts.h"
#include "tools/database/database_facts.h"
#include "tools/database/databases.h"
#include "tools/report/flags.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// The files to look at.
struct Inputs {
  std::vector<std::string> files;
  std::string db;             // "": `files`
  std::string column_family;  // "": all
};

// Declares the operands, which are files or a database's folder, and the flag
// for its column family.
void AddInputs(CLI::App* app, Inputs* inputs);

// What there is to read of the database; or the files named individually, each
// without a column family and with the level kNoLevel, of a folder "".
// InvalidArgument if none are named; else the errors of ReadDatabase().
absl::StatusOr<DatabaseFacts> ReadInputs(const Inputs& inputs);

// Starts a report: `command`, `database` (or null).
Json NewReport(const char* command, const Inputs& inputs);

// Collects the problems of files; the other files are shown.
class Findings {
 public:
  // `db` has the files, or is "" if they are named.
  explicit Findings(std::string db) : db_(std::move(db)) {}

  // Records an error with one file. A file that is missing because a compaction
  // has removed it meanwhile is only noted.
  void Add(const LiveFile& file, const absl::Status& status);

  // Records a problem that was found.
  void AddProblem(const std::string& problem) { problems_.push_back(problem); }

  void AddNote(const std::string& note) { notes_.push_back(note); }

  void Add(const FilterCensus::Findings& findings);

  // Ends a report with `notes` and `problems`.
  void AddTo(Json* report);

  // kExitBadInput if a file can't be read; else Outcome's default.
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  void AddMissing();

  const std::string db_;
  std::vector<std::string> missing_;  // paths of live files
  std::vector<std::string> problems_;
  std::vector<std::string> notes_;
  std::optional<int> exit_code_;
};

// The kind of line in linebloom's metadata, "solved" or "plain", or its number
// if this program doesn't know it.
std::string LineName(LineKind line);

// A file's name in the tables: its level and the end of its path.
std::string FileLabel(const Json& file);

// As JSON: `path` and, if the file has them, `column_family` and `level`.
Json FileAsJson(const LiveFile& file);

// `rows`, `format_version`, and `filter`, which is null for a file without one.
Json FactsAsJson(const FileFacts& facts);

}  // namespace linebloom::tools
