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
#include <utility>
#include <vector>

#include "filter_policy/tree/live_files.h"
#include "filter_policy/tree/lookup_load.h"
#include "filter_policy/tree/probed_trees.h"
#include "filter_policy/tree/tree_state.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/statistics.h"

namespace linebloom {

// Databases may share their Statistics.
struct CountedLookups {
  std::shared_ptr<rocksdb::Statistics> statistics;
  LookupWindow window;
};

struct Database {
  // RocksDB's session ID, constant while the database is open. RocksDB doesn't
  // report that a database is destroyed, and another one may be opened at the
  // same path.
  std::string session;
  const rocksdb::ColumnFamilyHandle* default_family = nullptr;
  rocksdb::Logger* info_log = nullptr;
  std::shared_ptr<CountedLookups> lookups;  // null without Statistics
  LiveFiles files;
  // Of families that have not asked for bits: what the last one uses that has,
  // or the default family.
  TableUse table;
};

// A database by its Env and path.
using DatabaseId = std::pair<const rocksdb::Env*, std::string>;

// The column families that share a block cache, and their lookups.
struct CacheUsers {
  struct Source {
    LookupWindow window;
    bool is_sample = false;  // of one lookup in kProbesPerSample
  };
  struct Family {
    std::shared_ptr<const TreeState> tree;
    rocksdb::CompactionStyle style;
    size_t source;
    LineKind line = LineKind::kSolved;  // of new filters
  };
  std::vector<Source> sources;
  std::vector<Family> families;
  // Of all lookups, if that is known better than by the sources.
  std::optional<HitRange> hits;
};

// Thread-safe. All events of all databases wait for its mutex, so nothing of
// RocksDB is called meanwhile but counters of Statistics.
class Ledger {
 public:
  static Ledger& OfProcess();

  // Calls `change` with the database, a new one if there was none.
  void Change(const DatabaseId& id,
              const std::function<void(Database*)>& change);

  // Calls `change` with the database at that path; not if there are several,
  // unless the job of `of_this_thread` runs in the calling thread.
  void ChangeAt(
      const std::string& path, const DatabaseId& of_this_thread,
      const std::function<void(const DatabaseId&, Database*)>& change);

  // False for a database that isn't known, or only its earlier session.
  bool IsOpen(const DatabaseId& id, const std::string& session);
  void Open(const DatabaseId& id, Database database);
  void Close(const rocksdb::ColumnFamilyHandle* default_family);

  // The family has written so many rows, as a part of which its tree was
  // written anew.
  void Wrote(const DatabaseId& id, const std::string& family, double rows);

  // The users of the block cache of `use`, which is what the family uses.
  // Nothing if the database isn't known.
  CacheUsers UsersOf(const DatabaseId& id, const std::string& family,
                     const TableUse& use);

  // Where filters count their answers in databases without Statistics. By block
  // cache, because readers stay there when a database is opened again.
  std::shared_ptr<AnswerSample> SampleOf(
      const std::shared_ptr<rocksdb::Cache>& cache);

 private:
  struct Answers {
    std::shared_ptr<AnswerSample> sample = std::make_shared<AnswerSample>();
    double probes = 0;  // that the window has
    double positives = 0;
    LookupWindow window;

    void Take(const ProbedTrees& trees, double seconds);
  };

  // Calls `visit` with each family that uses the cache, and its database.
  void ForEachUser(
      const std::weak_ptr<rocksdb::Cache>& cache,
      const std::function<void(const Database&, const LiveFiles::Family&,
                               const TableUse&)>& visit) const;

  std::mutex mutex_;
  std::map<DatabaseId, Database> databases_;
  std::map<std::weak_ptr<rocksdb::Cache>, Answers,
           std::owner_less<std::weak_ptr<rocksdb::Cache>>>
      answers_;
};

}  // namespace linebloom
