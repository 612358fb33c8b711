// The open databases of this process, by what their listeners are told.
//
// There is one ledger for all listeners, because each Use() and each OPTIONS
// file makes a listener of its own. Rejected: a ledger for each. Four databases
// in one cache each took all of it for theirs, and read 1.8 to 3.4 times as
// much as with RocksDB's Bloom filter.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "filter_policy/tree/live_files.h"
#include "filter_policy/tree/lookup_load.h"
#include "filter_policy/tree/tree_state.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/statistics.h"

namespace linebloom {

// The column families that share a block cache, and their lookups.
struct CacheUsers {
  struct Source {
    HitRange hits;
    double scanned_blocks_per_lookup = 0;
    double rate = -1;         // lookups per second; below 0 if unknown
    bool is_sample = false;   // of one lookup in kProbesPerSample
    double filters_read = 0;  // per lookup
    double rewritten = 0;     // the share of the rows, since the last time
  };
  struct Family {
    std::shared_ptr<const TreeState> tree;
    size_t source;
    LineKind line = LineKind::kSolved;  // of new filters
  };
  std::vector<Source> sources;
  std::vector<Family> families;
  // Of all lookups, if that is known better than by the sources.
  std::optional<HitRange> hits;
};

// Of databases that share a block cache, and Statistics or none.
struct LookupSource {
  std::shared_ptr<AnswerSample> sample = std::make_shared<AnswerSample>();
  Lookups last;  // probes, of which positive ones, that the window has
  LookupWindow window;

  // Samples Statistics unless that was done a moment ago and isn't due. Without
  // any, by the trees as they are now, about as when the filters answered.
  CacheUsers::Source Take(double seconds, bool is_due,
                          const ProbedTrees& trees);
};

struct Database {
  // RocksDB's session ID, constant while the database is open. RocksDB doesn't
  // report that a database is destroyed, and another one may be opened at the
  // same path.
  std::string session;
  const rocksdb::ColumnFamilyHandle* default_family = nullptr;
  rocksdb::Logger* info_log = nullptr;
  std::shared_ptr<rocksdb::Statistics> statistics;
  LiveFiles files;
  // Of families that have not asked for bits: what the last one uses that has,
  // or the default family.
  TableUse table;
};

// Databases are known by their paths, which is all that some events tell. Of
// two at one path, in two Envs, each job replaces the other's. Thread-safe. All
// events of all databases wait for its mutex, so nothing of RocksDB is called
// meanwhile but counters of Statistics.
class Ledger {
 public:
  static Ledger& OfProcess();

  // Calls `change` with the database, if it is open.
  void Change(const std::string& path,
              const std::function<void(Database*)>& change);

  // False for a database that isn't known, or only its earlier session.
  bool IsOpen(const std::string& path, const std::string& session);
  void Open(const std::string& path, Database database);
  void Close(const rocksdb::ColumnFamilyHandle* default_family);

  // The users of the block cache of `use`, which is what the family uses.
  // Nothing if the database isn't known.
  CacheUsers UsersOf(const std::string& path, const std::string& family,
                     const TableUse& use);

  // Of databases with these Statistics, or none, and this block cache: readers
  // stay there when a database is opened again.
  std::shared_ptr<AnswerSample> SampleOf(
      const std::shared_ptr<rocksdb::Statistics>& statistics,
      const std::weak_ptr<rocksdb::Cache>& cache);

 private:
  LookupSource& SourceOf(const std::shared_ptr<rocksdb::Statistics>& statistics,
                         const std::weak_ptr<rocksdb::Cache>& cache);

  std::mutex mutex_;
  std::map<std::string, Database> databases_;
  // By cache, and Statistics or again the cache.
  template <typename Value>
  using ByOwner = std::map<std::weak_ptr<void>, Value, std::owner_less<>>;
  ByOwner<ByOwner<LookupSource>> sources_;
};

}  // namespace linebloom
