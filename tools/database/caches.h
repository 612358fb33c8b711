// The block caches of a database, the column families that share each of them,
// and what lookups read: the one answer of all subcommands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "filter_policy/bits/auto_bits.h"
#include "filter_policy/bits/cache_load.h"
#include "filter_policy/bits/read_model.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "tools/database/database_facts.h"
#include "tools/database/file_walk.h"
#include "tools/database/policies.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {

// The least of --memory: less has no room for some data blocks and partitions.
inline constexpr uint64_t kSmallestCache = 64 << 10;

// What the user says in place of the info log.
struct SaidLoad {
  std::optional<uint64_t> memory;   // bytes of one block cache that all share
  std::optional<double> hit_ratio;  // share of the lookups
};

// A block cache and the column families that share it.
struct CacheFacts {
  std::vector<std::string> families;
  // Their trees, as they are. The cache is used as by the family with the most
  // rows; its capacity is 0 if nobody says how large it is.
  CacheLoad load;
  std::string largest;  // that family
  double most_rows = 0;
  FamilyFiles files;
  std::string from;  // who says how large the cache is
};

struct DatabaseCaches {
  std::vector<CacheFacts> caches;
  std::map<std::string, FileTotals> families;
  HitRange hits;          // of the lookups
  std::string hits_from;  // who says how many hit
  Findings findings;
};

// The stored options of a column family's table; without them as RocksDB's
// tuning guide has it, with level 0 pinned. `options` may be null.
rocksdb::BlockBasedTableOptions TableOf(
    const rocksdb::ColumnFamilyOptions* options);

// Sets how large the cache is, and how it is used.
void SetCache(const DatabaseFacts& database, const SaidLoad& said,
              CacheFacts* facts);

// Reads the files' footers, properties and metaindexes and nothing else. A file
// that can't be read counts as an average one. Cancelled after a signal.
absl::StatusOr<DatabaseCaches> ReadCaches(const DatabaseFacts& database,
                                          const SaidLoad& said);

// By column family.
using Policies = std::map<std::string, FilterPolicyPtr>;

// Those of `linebloom migrate` unless it is told otherwise.
Policies PoliciesToBuild(const DatabaseFacts& database);

// The tree once all its files have the filters of `policy`; with null they
// keep theirs.
read_model::Tree TreeWith(const rocksdb::FilterPolicy* policy,
                          read_model::Tree tree);

// What lookups of a cache read: `now`, with the filters that files have; `new`,
// once all have those of `policies`; and `best`, with linebloom's choice.
struct Answer {
  AutoBits best;
  ReadRange now;
  ReadRange renewed;
};
Answer AnswerFor(const CacheFacts& facts, const Policies& policies);

// Blocks per 1,000 lookups: a number, or if hits aren't known {least, most}.
Json ReadsAsJson(const ReadRange& range);
// For Fill(), which makes "76.5" or "20.8 to 1,050" of those at this place in
// `reads_per_1000`.
std::string ReadsCell(absl::string_view at);

// A cache in a report: `column_families`, `memory` in bytes with who says so,
// and `reads_per_1000`, an object with `now`, `new` and `best`. Both are null
// if nobody says how large the cache is.
Json AsJson(const CacheFacts& facts, const Answer& answer);

}  // namespace linebloom::tools
