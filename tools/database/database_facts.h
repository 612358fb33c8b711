// One reading of a database for all subcommands: its live files, its OPTIONS,
// and what follows from them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/options.h"
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

struct DatabaseFacts {
  std::string folder;
  std::vector<LiveFile> files;                    // as of ListLiveFiles()
  StoredOptions stored;                           // in the newest OPTIONS file
  std::map<std::string, WrittenOptions> written;  // the same
  InfoLogFacts log;

  // Null if no OPTIONS file has the column family.
  const rocksdb::ColumnFamilyOptions* OptionsOf(
      const std::string& family) const;
};

// Changes nothing, and another process may have the database open. Errors as of
// ListLiveFiles(); Cancelled after a signal.
absl::StatusOr<DatabaseFacts> ReadDatabase(const std::string& folder);

}  // namespace linebloom::tools
