// Brings the files of an open database up to the filters that its policy builds
// today: those that were written before linebloom was set, by an older version,
// or with plain lines or fewer bits.
//
//   rocksdb::Status status = linebloom::RebuildFilters(db, {});
//
// rewrites what is worth it in the default column family, one file after the
// other, while the application reads and writes; until a file's turn comes its
// old filter serves. Nothing is lost where the process ends in between: a file
// is replaced as a whole or not at all, and the next call finds the rest.
//
// It stands in a library of its own, linebloom::rebuild, which needs Abseil and
// ISA-L; the policy's library needs neither. This header needs C++17 and
// RocksDB's public headers, nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "linebloom/export.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"

namespace linebloom {

// What is poor about a file's filter. The first that holds counts.
enum class RebuildReason : uint8_t {
  kNoFilter,       // lookups read the file
  kForeignFilter,  // RocksDB's own kind, or one that linebloom can't read
  kDamagedFilter,  // lookups read the file, or might miss a row
  kOlderVersion,   // of linebloom's format
  kOtherHashSeed,  // than the policy's hash_seed
  kOtherPrefixes,  // than the column family's prefix_extractor has, or no whole
                   // keys though there is whole_key_filtering: not asked
  kPlainLines,     // where the policy builds solved ones
  kWorseRate,      // than RebuildFiltersOptions::worst_rate, from fewer bits
};

struct RebuildFiltersOptions {
  // The column families to look at. Empty: the default one alone. The handles
  // stay the caller's and have to live until the call returns.
  std::vector<rocksdb::ColumnFamilyHandle*> column_families;

  // Filters with a greater expected false-positive rate are poor, if they were
  // built with fewer bits per key than the policy has. 0 to 1; 0 stands for 1.2
  // times the rate that the policy's filter would have.
  double worst_rate = 0;

  // How many bytes of files are rewritten each second, on average: a file is
  // rewritten as fast as it goes, then there is a pause. 0: no limit. RocksDB's
  // own DBOptions::rate_limiter counts as well. Looking at the filters, about a
  // hundredth of the files' bytes, is not limited.
  uint64_t bytes_per_second = 0;

  // Reads every data block of a file before it is rewritten. RocksDB stops all
  // writes to a database when a compaction meets a damaged block; with this the
  // file is left as it is and reported instead.
  bool check_data_blocks = true;

  // Lists what would be rewritten and what there is no room for, and changes
  // nothing.
  bool dry_run = false;
};

enum class RebuildOutcome : uint8_t {
  kPlanned,    // not yet rewritten: a dry run, cancelled, or after an error
  kRewritten,  // or merged into a rewritten neighbour that has a key in common
  kGone,       // a compaction of RocksDB's own was faster
  kBusy,       // was being compacted each time; `message` has RocksDB's words
  kDamaged,    // can't be read; `message` says where
  kNoSpace,    // the disk or RocksDB's SstFileManager has not the room for it;
               // `message` has the bytes
};

// A file whose filter is poor.
struct FileRebuild {
  std::string column_family;
  std::string path;
  int level = 0;
  uint64_t bytes = 0;
  uint64_t rows = 0;  // entries of every kind but range deletions
  RebuildReason reason = RebuildReason::kNoFilter;
  double rate = 1;        // false positives, 0 to 1; 1 without a filter
  double rate_after = 0;  // to be expected of the new filter
  // What rewriting saves of the data blocks that a lookup of a missing row is
  // expected to read.
  double saved_reads = 0;
  RebuildOutcome outcome = RebuildOutcome::kPlanned;
  std::string message;
};

// Expected data blocks that a lookup of a missing row reads, if its key is in
// the range of every file of L0 and of one file of each level below.
struct FamilyReads {
  std::string column_family;
  double before = 0;
  double after = 0;  // once all planned files are rewritten
};

struct RebuildFiltersReport {
  // In the order of rewriting: by saved reads for each byte.
  std::vector<FileRebuild> files;
  std::vector<FamilyReads> reads;
  uint64_t files_examined = 0;  // live files
  // Files with one of the reasons, left alone because the policy's filter would
  // be no better: a Ribbon filter of the same bits, for one.
  uint64_t files_no_better = 0;
  // Live files that are too damaged to see what filter they have: path and
  // offset, a sentence each.
  std::vector<std::string> unreadable;
  uint64_t bytes_rewritten = 0;
};

struct RebuildFiltersProgress {
  bool rewriting = false;  // before that: looking at the filters
  uint64_t files_done = 0;
  uint64_t files = 0;
  uint64_t bytes_done = 0;  // while rewriting
  uint64_t bytes = 0;
};

// Called in the calling thread before each file, and about ten times a second
// in pauses. Returning false ends the call; a file that is being rewritten is
// finished first.
using RebuildFiltersCallback =
    std::function<bool(const RebuildFiltersProgress& progress)>;

// Looks at the filters of all live files, and rewrites the files with poor ones
// through DB::CompactFiles, each alone and into its own level, with the
// compression that the level has: what a lookup finds does not change, nor
// which levels are how full. As in every compaction, old versions that no
// snapshot needs go, compaction filters run, and blob files are taken along.
//
// Files that a compaction of RocksDB's own holds are tried again later. Where
// automatic compactions are on they rewrite files in any case; this call
// matters for levels that they rarely touch. In L0 of a database with leveled
// compaction, RocksDB waits with its own L0 compaction until a file is done.
//
// A compaction that fills the disk stops all writes to a database. So before
// each file its path must have free, in bytes, 1.1 times the file's size and
// twice the write buffers of all `column_families` (write_buffer_size times
// max_write_buffer_number, at most db_write_buffer_size; at least what all
// write buffers hold now): once for flushes and once for write-ahead logs. A
// file without that room is left as it is. Where the database's FileSystem
// does not know its free space, nothing is checked.
//
// Returns OK when every poor file was dealt with; `report`, unless null, says
// how each ended. Errors:
//   InvalidArgument  a column family's policy is not linebloom, or builds no
//                    filters; an option is out of range. Nothing was changed.
//   Incomplete       `progress` returned false, or manual compactions are
//                    disabled (DB::DisableManualCompaction)
// and RocksDB's own, after which the database may refuse writes, as after any
// failed compaction; NotSupported where it is open for reading only.
//
// Runs in the calling thread. May be called from any thread, at any time, but
// DB::Close has to wait for it.
LINEBLOOM_EXPORT rocksdb::Status RebuildFilters(
    rocksdb::DB* db, const RebuildFiltersOptions& options,
    const RebuildFiltersCallback& progress = nullptr,
    RebuildFiltersReport* report = nullptr);

}  // namespace linebloom
