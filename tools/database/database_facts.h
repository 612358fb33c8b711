// One reading of a database for all subcommands: its live files, its OPTIONS,
// and what follows from them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "table/sst_file.h"
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

// Changes nothing, and another process may have the database open. Of
// `column_family` alone unless that is empty. Errors as of ListLiveFiles();
// Cancelled after a signal.
absl::StatusOr<DatabaseFacts> ReadDatabase(absl::string_view flag,
                                           const std::string& folder,
                                           const std::string& column_family);

// Counts the filters of a database's files, from their metadata.
class FilterCensus {
 public:
  void Add(const LiveFile& live, const SstFile& file);

  struct Findings {
    // A sentence for each column family with files that lookups read for want
    // of a filter: written without a policy, though its options name one or
    // did, or with one that they have lost.
    std::vector<std::string> problems;
    // On column families that never had filters.
    std::vector<std::string> notes;
  };
  // Nothing of files that were named one by one, of a folder "".
  Findings Judge(const DatabaseFacts& database) const;

 private:
  struct Counts {
    uint64_t files = 0;
    uint64_t filtered = 0;
    uint64_t by_linebloom = 0;    // of the filtered
    uint64_t without_policy = 0;  // with rows; no policy decided on a filter
  };
  void JudgePolicy(const std::string& name, const Counts& counts,
                   const DatabaseFacts& database, Findings* findings) const;

  std::map<std::string, Counts> families_;
};

}  // namespace linebloom::tools
