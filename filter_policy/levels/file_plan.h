// Decides how large the filters of a file are, with what the level size
// listener knows about it.
//
// RocksDB tells a policy the level of a new file but not how large the levels
// are; only a listener can find that out. In every release from 7.3 to 11.12,
// flushes and compactions call OnTableFileCreationStarted and then create the
// file's filter builder on the same thread (db/builder.cc,
// db/compaction/compaction_job.cc). So the listener leaves what it knows in a
// variable of the thread, and the policy picks it up.
//
// Rejected: a listener created with the policy. A policy isn't told which
// database it builds for, so two databases sharing a policy would get each
// other's sizes, and no option string could create the pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "filter_policy/levels/account.h"
#include "filter_policy/levels/allocation.h"
#include "filter_policy/levels/tree_state.h"
#include "filter_policy/policy/filter_bits_builder.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

struct FileInTree {
  std::string column_family;
  // The tree as it will be after the compaction that writes the file, if its
  // inputs are known. Null if no sizes are known yet.
  std::shared_ptr<const TreeState> tree;
  // The input of the compaction or the flush, an upper limit of its output; 0
  // if unknown. For a flush this is all that waits to be flushed, in all column
  // families.
  double input_keys = 0;
  // For a flush, the files of level 0 that no compaction has begun to merge.
  size_t level0_waiting = 0;
  // Identifies the database: RocksDB gives policies its info log too. Null if
  // unknown.
  const rocksdb::Logger* info_log = nullptr;
  rocksdb::TableFileCreationReason reason =
      rocksdb::TableFileCreationReason::kMisc;
  // The account in which filters under a memory budget are booked, and the
  // place of this file's.
  std::shared_ptr<FilterAccount> account;
  FilterPlace place;

  // True if this is the file that `context` describes, as far as RocksDB tells.
  // While a thread writes a file it may also write one of another database,
  // from a merge operator or a compaction filter.
  bool Matches(const rocksdb::FilterBuildingContext& context) const;
};

// Announces the file that the calling thread is about to write.
void BeginFile(FileInTree file);
void EndFile();

// Files that the calling thread announces from now on belong to `tree` and are
// as large as the files of their level, until this is called with null.
void WriteIntoTree(std::shared_ptr<const TreeState> tree);

// Returns what BeginFile was told, once; nothing if there is no listener.
std::optional<FileInTree> TakeFileInTree();

// Returns how to build the filters of the file that `context` describes;
// nothing if it gets none. `options` must be valid; with a memory_budget, their
// bits_per_key are the average to aim at. `file` is ignored if it is another.
//
// With `level_aware`, the file belongs to a sorted run:
//   sizes known     The run has as many keys as its level will have, as a
//                   compaction into level 0 reads, or as the flush will write.
//   listener without sizes
//                   The file gets the average; if it is recovered from the log,
//                   a little more, for it is small in all but a new database.
//   no listener     The file gets the average, or the whole sum of rates.
std::optional<FilterPlan> PlanOfFile(
    const FilterPolicyOptions& options,
    const rocksdb::FilterBuildingContext& context,
    const std::optional<FileInTree>& file);

// The average to aim at if all keys of all trees, sharing a memory_budget
// equally, had `share` bits each. It may be below kMinBitsOfRun.
double AverageOfBudget(double share);

// The filters that share a budget, and the bits per key if all keys of all
// trees shared it equally.
struct BudgetState {
  FilterTotals filters;
  double average_bits = 0;
  uint64_t other_budget = 0;  // of another policy of the listener; 0: none
};

BudgetState StateOfBudget(const FilterPolicyOptions& options,
                          const rocksdb::FilterBuildingContext& context,
                          const FileInTree& file);

// The same within options.memory_budget, whose state is `state`. `file` must be
// the file that `context` describes. Nothing if there is no room for a filter.
std::optional<FilterPlan> PlanWithinBudget(
    const FilterPolicyOptions& options,
    const rocksdb::FilterBuildingContext& context, const FileInTree& file,
    const BudgetState& state);

}  // namespace linebloom
