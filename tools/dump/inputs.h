// The SSTables that the user named, and their reports, of dump and verify.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "linebloom/filter_policy.h"
#include "tools/database/database_facts.h"
#include "tools/database/databases.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// Runs what looks at files. Its operands are a database's folder, or files:
// then the database's folder is "", and they have no column family and the
// level kNoLevel. InvalidArgument if none are named; else the errors of
// ReadDatabase().
Runner DeclareInputs(CLI::App* app,
                     absl::StatusOr<Outcome> (*run)(const DatabaseFacts&));

// Starts a report: `database` (or null) and no `files` yet.
Json NewReport(const DatabaseFacts& database);

// The kind of line in linebloom's metadata, "solved" or "plain", or its number
// if this program doesn't know it.
std::string LineName(LineKind line);

// A file in the tables: its level and its name.
std::string FileLabel(const Json& file);

// As JSON: `path` and, if the file has them, `column_family` and `level`.
Json FileAsJson(const LiveFile& file);

}  // namespace linebloom::tools
