// Carries what the level size listener knows about the next file to the policy.
//
// RocksDB tells a policy the level of a new file but not how large the levels
// are; only a listener can find that out. In every release from 7.3 to 11.12,
// flushes and compactions call OnTableFileCreationStarted and then create the
// file's filter builder on the same thread (db/builder.cc,
// db/compaction/compaction_job.cc). So the listener leaves the sizes in a
// variable of the thread, and the policy picks them up.
//
// Rejected: a listener created with the policy. A policy isn't told which
// database it builds for, so two databases sharing a policy would get each
// other's sizes, and no option string could create the pair.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "filter_policy/levels/family_heat.h"
#include "filter_policy/levels/filter_account.h"
#include "filter_policy/levels/heat_profile.h"
#include "filter_policy/levels/heat_use.h"
#include "filter_policy/levels/tree_sizes.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

struct FileInTree {
  std::string column_family;
  // The tree as it will be after the compaction that writes the file, if its
  // inputs are known. Null if no sizes are known yet.
  std::shared_ptr<const TreeSizes> tree;
  // The total input of a compaction into level 0, which becomes one file; 0 if
  // unknown.
  double level0_run = 0;
  // The input of the compaction or the flush, an upper limit of its output; 0
  // if unknown. For a flush this is all that waits to be flushed, in all column
  // families.
  double input_keys = 0;
  // The input of the compaction; empty if unknown.
  std::optional<KeyRange> range;
  // Where lookups fall; null if unknown.
  std::shared_ptr<const HeatProfile> heat;
  std::shared_ptr<HeatUse> heat_use;
  // Identifies the database: RocksDB gives policies its info log too. Null if
  // unknown.
  const rocksdb::Logger* info_log = nullptr;
  rocksdb::TableFileCreationReason reason =
      rocksdb::TableFileCreationReason::kMisc;
  // The account in which filters under a memory budget are booked, and the
  // place of this file's.
  std::shared_ptr<FilterAccount> account;
  FilterPlace place;

  // The keys to expect of a flush: as many as the last one had, or as wait to
  // be flushed if they are fewer; 0 if unknown. Rejected: the last flush alone.
  // After a very large one, a memory budget left a small one without a filter.
  double KeysOfFlush() const;

  // True if this is the file that `context` describes, as far as RocksDB tells.
  // While a thread writes a file it may also write one of another database,
  // from a merge operator or a compaction filter.
  bool Is(const rocksdb::FilterBuildingContext& context) const;
};

// Announces the file that the calling thread is about to write.
void BeginFile(FileInTree file);
void EndFile();

// Returns what BeginFile was told, once; nothing if there is no listener.
std::optional<FileInTree> TakeFileInTree();

}  // namespace linebloom
