// What the level size listener knows of the file that is about to be written,
// on its way to the policy.
//
// RocksDB tells a policy the level of a new file but not how large the levels
// are; it tells a listener. In every release from 7.0 to 11.9, flushes and
// compactions call OnTableFileCreationStarted and then make the file's filter
// builder on the same thread (db/builder.cc, db/compaction/compaction_job.cc),
// so the one leaves here what the other takes.
//
// Rejected: a listener that is made with the policy. A policy does not learn
// which database it builds for, so two databases with one policy would get each
// other's sizes, and neither could come from an option string.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

// What the filters of a column family's files take, as far as it is known.
struct FilterSums {
  // Of files whose filters are known: rows, keys and prefixes in the filters,
  // bits of memory.
  double rows = 0;
  double keys = 0;
  double bits = 0;
  // Rows of other files: those that were there before the listener was.
  double other_rows = 0;
};

// The sizes of a column family's sorted runs, in keys.
struct TreeSizes {
  std::vector<double> level0_files;
  std::vector<double> levels;  // from level 1 on; 0 where a level is empty
  // Of the run that a flushed file is going to be: as many as the last flush
  // had, or as the largest run where flushed files move down as they are. 0:
  // unknown.
  double flush = 0;
  // The keys of the last flush; 0: unknown.
  double last_flush = 0;
  // Of all files, but those that the compaction reads. Without it nothing is
  // known of filters.
  std::optional<FilterSums> filters;

  // Adds a file.
  void Add(double keys, int level);

  // The keys of a level from level 1 on.
  double& OfLevel(int level);

  // Files of level 0 and levels that are not empty.
  std::vector<double> Runs() const;
};

struct FileInTree {
  std::string column_family;
  // As it will be when the compaction that writes the file is done, where its
  // inputs are known. Null where no sizes are known yet.
  std::shared_ptr<const TreeSizes> tree;
  // What a compaction into level 0 makes one file of; 0: unknown.
  double level0_run = 0;
  // What the compaction reads, and so writes at most; 0: unknown.
  double input_keys = 0;
  // The database, as RocksDB tells it to policies too: by its log. Null:
  // unknown.
  const rocksdb::Logger* info_log = nullptr;
  rocksdb::TableFileCreationReason reason =
      rocksdb::TableFileCreationReason::kMisc;

  // Whether this is the file that `context` speaks of, as far as RocksDB tells.
  // While a file is written its thread may write one of another database: a
  // merge operator or a compaction filter may do so.
  bool Is(const rocksdb::FilterBuildingContext& context) const;
};

// For the calling thread, which is about to write a file.
void BeginFile(FileInTree file);
void EndFile();

// What BeginFile was told, once; nothing without a listener.
std::optional<FileInTree> TakeFileInTree();

}  // namespace linebloom
