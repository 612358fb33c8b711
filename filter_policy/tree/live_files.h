// The ledger of a database's files, kept by what its events tell.
//
// RocksDB leaves out some of what it tells, as null, 0 or empty. That is not
// known then, which is not 0:
//
//   properties of a file  some writers leave some out, and files that RocksDB
//                         has not opened are not read yet: the file counts as
//                         the average of the database's known files, by its
//                         bytes; without a known file, by its entries
//   of all files          nothing is told of the tree; files get the average
//   inputs of a job       CompactFiles() calls no listener before it ends: its
//                         files make up for nothing that others have
//   keys to flush         as many as files of level 0 have on average
//   levels of outputs     the files are listed anew
//
// What a file claims is held to what its bytes can have, because a file that
// was ingested may claim anything.
//
// No locks. Calls nothing of RocksDB.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "filter_policy/tree/new_file.h"
#include "filter_policy/tree/tree_state.h"
#include "linebloom/line.h"
#include "rocksdb/cache.h"
#include "rocksdb/listener.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/table_properties.h"

namespace linebloom {

// Ribbon's let pass what Bloom's do that have so many times its bits
// (ribbonfilter:10 has 6.9, and a rate of 0.95 %).
inline constexpr double kBloomBitsOfRibbonBit = 1.44;

// The rate of filters of so many bits per key by the policy of this name, as
// properties have it; 1 without bits.
double RateOf(const std::string& policy, double bits_per_key);

// What a file of `bytes` has by its properties, which may be null; nothing if
// they don't tell. With 0 bytes nothing is checked.
std::optional<FileTotals> TotalsOf(const rocksdb::TableProperties* properties,
                                   uint64_t bytes);

// The bytes of the file at a path, 0 if they aren't known.
using SizeOfFile = std::function<uint64_t(const std::string& path)>;

// What a column family's table uses.
struct TableUse {
  std::weak_ptr<rocksdb::Cache> cache;
  LineKind line = LineKind::kSolved;  // of new filters
};

class LiveFiles {
 public:
  struct Family {
    TreeState live;
    // As files are told; null without a known row.
    std::shared_ptr<const TreeState> tree;
    double to_flush = 0;      // keys that waited when its last flush began
    double rows_written = 0;  // that the window of lookups has yet to learn of
    // How many times in a row files have left level 0 unchanged. If they do so
    // often, as in a load in key order, a flushed file reaches the last level
    // unchanged.
    int moves = 0;
    // Those of its table, once it has asked for bits.
    std::optional<TableUse> table;
    bool is_told_of_lost_filters = false;
  };

  // A file was written, but isn't live yet.
  void Create(const std::string& path, const std::optional<FileTotals>& totals);
  // A file is gone, whether or not a job told it before.
  void Delete(const std::string& path);

  void BeginFlush(const std::string& family, double keys_to_flush);
  void EndFlush(const rocksdb::FlushJobInfo& job);
  // `size_of` is asked for inputs that nobody listed.
  void BeginCompaction(const rocksdb::CompactionJobInfo& job,
                       const SizeOfFile& size_of);
  void EndCompaction(const rocksdb::CompactionJobInfo& job);

  // True if the files are to be listed: so many events have passed that each
  // counts for `files_per_event` files. With 0 only if they never were, or if
  // something is left to learn.
  bool IsDue(size_t files_per_event);

  // Those of `listed` that were never read, at most so many.
  std::vector<const rocksdb::LiveFileMetaData*> FilesToRead(
      const std::vector<rocksdb::LiveFileMetaData>& listed, size_t most) const;
  // A file was read; it may tell nothing.
  void Read(const std::string& name, const std::optional<FileTotals>& totals);

  // Takes the list, unless a job has ended since the version was this.
  void List(const std::vector<rocksdb::LiveFileMetaData>& listed,
            uint64_t version);
  uint64_t version() const { return version_; }

  // Sets what is known of the tree that a job's file will be in.
  void Describe(int job, NewFile* file) const;

  std::map<std::string, Family>& families() { return families_; }

 private:
  struct File {
    FileTotals totals;         // estimated if they aren't known
    Family* family = nullptr;  // null: not live, as far as known
    int level = 0;
    bool was_read = false;
    bool is_known = false;
  };
  // A running compaction: the tree without its inputs.
  struct Compaction {
    std::shared_ptr<const TreeState> tree;
    double input_keys = 0;
  };

  void Place(const std::string& path, Family* family, int level);
  void Place(Family* family, int level, File* file);
  void EndJob(Family* family);
  void SetTree(Family* family) const;

  std::unordered_map<std::string, File> files_;  // by name
  std::map<std::string, Family> families_;       // by name
  std::map<int, Compaction> compactions_;        // by job
  // Before the files are listed again: their number, less what each event since
  // has counted for.
  size_t files_to_wait_ = 0;
  // Changes with every job that ends and every list of the files.
  uint64_t version_ = 0;
};

}  // namespace linebloom
