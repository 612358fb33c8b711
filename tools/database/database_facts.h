// One reading of a database for all subcommands: its live files, its OPTIONS,
// and what follows from them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "tools/database/databases.h"
#include "tools/database/info_log.h"

namespace linebloom::tools {

// Options of a column family as the text of OPTIONS has them; "" if it doesn't.
struct WrittenOptions {
  std::string filter_policy;
  std::string partition_filters;  // RocksDB may load it as false
  std::string listeners;          // of the database
};

// By column family, and for "" the database's, from the text of an options file
// that RocksDB can load: its loader forgets what the program lacks and changes
// options that have no effect.
std::map<std::string, WrittenOptions> ParseOptionsText(absl::string_view text);

// True if it is an option string for a filter policy.
bool NamesPolicy(const std::string& filter_policy);

struct FamilyFacts {
  // By the newest OPTIONS file, without what this program lacks; null without
  // one. Of other tables than block-based ones null, too.
  const rocksdb::BlockBasedTableOptions* table = nullptr;
  // The filter policy that the newest OPTIONS file names; "" if none.
  std::string policy;
  // The one that an older OPTIONS file names, or an info log ("linebloom").
  std::string past_policy;
};

struct DatabaseFacts {
  std::string folder;
  std::vector<LiveFile> files;  // as of ListLiveFiles()
  StoredOptions stored;
  InfoLogFacts log;
  std::map<std::string, FamilyFacts> families;
};

// Changes nothing, and another process may have the database open. Errors as of
// ListLiveFiles(); Cancelled after a signal.
absl::StatusOr<DatabaseFacts> ReadDatabase(const std::string& folder);

}  // namespace linebloom::tools
