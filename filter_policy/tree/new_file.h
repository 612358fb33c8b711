// Facts about a file that is about to be written, and how a policy gets them.
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

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "filter_policy/tree/tree_state.h"
#include "linebloom/line.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace linebloom {

struct CacheUsers;
struct NewFile;

// What shares the block cache of the file, whose table has these options.
using UsersOfCache = std::function<CacheUsers(
    const NewFile&, const rocksdb::BlockBasedTableOptions&)>;

// A file that is about to be written.
struct NewFile {
  std::string column_family = {};
  // Identifies the database: RocksDB gives policies its info log too. Null if
  // unknown.
  const rocksdb::Logger* info_log = nullptr;
  rocksdb::TableFileCreationReason reason =
      rocksdb::TableFileCreationReason::kMisc;
  // The column family without the inputs of the compaction that writes the
  // file, if they are known. Null if no sizes are known yet.
  std::shared_ptr<const TreeState> tree = nullptr;
  // The rows of these inputs, or those that wait to be flushed in all column
  // families: an upper limit of the output. 0 if unknown.
  double input_keys = 0;
  // Null without a listener. For ChooseBits().
  UsersOfCache users_of = nullptr;
  LineKind line = LineKind::kSolved;  // of its filter
  // From RocksDB, by TakeNewFile().
  int level = 0;
  rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel;

  bool is_recovered() const {
    return reason == rocksdb::TableFileCreationReason::kRecovery;
  }
  bool is_flushed() const {
    return reason == rocksdb::TableFileCreationReason::kFlush || is_recovered();
  }
  // True if its tree may grow much before it is rewritten: in universal and
  // FIFO compaction, and a flush of a load into level 0 alone or in key order.
  bool may_grow() const {
    return style != rocksdb::kCompactionStyleLevel ||
           (is_flushed() && tree != nullptr &&
            (tree->in_order || tree->LastLevel() == 0));
  }
};

// Announces the file that the calling thread is about to write.
void BeginFile(NewFile file);
void EndFile();

// While the thread runs a flush or a compaction, which reads the filters of its
// new files.
inline thread_local bool is_in_job = false;

// Files that the calling thread announces from now on belong to `tree`, are as
// large as the files of their level, and share their cache with what `users_of`
// says unless that is null; until this is called with a null `tree`.
void OverrideTree(std::shared_ptr<const TreeState> tree,
                  UsersOfCache users_of = nullptr);

// The file that the calling thread was last told of, once, if it is the one
// that `context` describes; nothing if no listener announced that or a remote
// compaction writes it. (While a thread writes a file it may also write one of
// another database, from a merge operator or a compaction filter.)
std::optional<NewFile> TakeNewFile(
    const rocksdb::FilterBuildingContext& context);

}  // namespace linebloom
