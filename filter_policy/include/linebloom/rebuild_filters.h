// Gives the files of an open database the filters that its policy builds today.
// Their old filters may be RocksDB's, or of fewer bits.
//
//   rocksdb::Status status = linebloom::RebuildFilters(db, {});
//
// rewrites each file of the default column family that is worth it, one after
// another, while the application reads and writes. Until then a file keeps its
// old filter. If the process is killed nothing is lost: a file is replaced
// completely or not at all, and the next call continues with the rest.
//
// In a database that is open with RocksDB's own Bloom or Ribbon policy, it goes
// the other way: files with linebloom's filters, which such a policy can't
// read, get RocksDB's.
//
// This is a separate library, linebloom::rebuild, because it needs Abseil and
// ISA-L, while the policy's library needs neither. This header needs only C++17
// and RocksDB's public headers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "linebloom/export.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"

namespace linebloom {

// Why a file's filter is poor. If several reasons apply, the first one is
// reported.
enum class RebuildReason : uint8_t {
  kNoFilter,       // lookups read the file
  kForeignFilter,  // RocksDB's own, or one that linebloom can't read; with one
                   // of RocksDB's policies: linebloom's
  kDamagedFilter,  // lookups read the file, or may miss a row
  kOtherHashSeed,  // differs from the policy's hash_seed; if that is random,
                   // there is none
  kOtherPrefixes,  // not used: its prefixes differ from the column family's
                   // prefix_extractor, or it lacks whole keys despite
                   // whole_key_filtering
  kWorseRate,  // of linebloom's under its policy: a rate above 1.2 times a new
               // filter's, from fewer bits
  kTooLarge,   // fine by itself, but larger than one of bits_per_key=auto,
               // which shares the block cache with data
};

enum class RebuildOutcome : uint8_t {
  kPlanned,    // not rewritten yet: dry run, cancelled, or after an error
  kRewritten,  // or merged into a rewritten neighbour that shares a key
  kGone,       // one of RocksDB's own compactions took it first
  kBusy,       // being compacted at each attempt; `message` is RocksDB's
  kDamaged,    // can't be read, or not with the memory that there is;
               // `message` says where and why
  kNoSpace,    // too little free space on the disk or left to RocksDB's
               // SstFileManager; `message` has the numbers
};

// A file whose filter is poor.
struct FileRebuild {
  std::string column_family;
  std::string path;
  int level = 0;
  uint64_t bytes = 0;
  uint64_t rows = 0;  // entries of all kinds except range deletions
  RebuildReason reason = RebuildReason::kNoFilter;
  // False-positive rate, 0 to 1; 1 without a filter that the policy can read.
  // A lower limit for Bloom filters of format_version below 5.
  double rate = 1;
  double rate_after = 0;  // expected rate of the new filter
  // How many fewer data blocks a lookup of a missing row is expected to read
  // after this file is rewritten, if lookups are spread like the rows;
  // negative for kTooLarge.
  double saved_reads = 0;
  RebuildOutcome outcome = RebuildOutcome::kPlanned;
  std::string message;
};

struct RebuildFiltersOptions {
  // The column families to examine; if empty, only the default one. The caller
  // owns the handles, which must stay valid until the call returns.
  std::vector<rocksdb::ColumnFamilyHandle*> column_families;

  // Reads every data block of a file before rewriting it. A compaction that
  // finds a damaged block makes RocksDB stop all writes to the database; with
  // this check such a file is left unchanged and reported. The footer, which
  // says where all else is, is always read.
  bool check_data_blocks = true;

  // Reports which files would be rewritten and which lack disk space, and
  // changes nothing.
  bool dry_run = false;

  // The files that a dry run of the same database reported, or some of them:
  // rewrites them in this order without examining any filter again. Files that
  // have gone since are reported as kGone. If empty, examines all live files.
  std::vector<FileRebuild> files = {};
};

// The data blocks that a lookup of a missing row is expected to read: the sum
// of the files' rates, below level 0 each times the file's share of its level's
// rows.
struct FamilyReads {
  std::string column_family;
  double before = 0;
  double after = 0;  // once all planned files have been rewritten
};

struct RebuildFiltersReport {
  // Files to rewrite, in that order: by saved reads per byte of the file.
  std::vector<FileRebuild> files;
  // This and the counts of files are 0 if RebuildFiltersOptions::files is set.
  std::vector<FamilyReads> reads;
  uint64_t files_examined = 0;  // all live files
  // Files that have a reason but are left alone because the policy's filter
  // would be no better, for example a Ribbon filter of the same size.
  uint64_t files_no_better = 0;
  // Live files left alone, a sentence each with the path: unreadable, or
  // with an empty partition that this policy would write again (MultiGet may
  // then miss rows). RocksDB's own policies do since 9.6, if no key of a
  // partition has a prefix and whole_key_filtering is off.
  std::vector<std::string> unreadable;
  uint64_t bytes_rewritten = 0;
};

struct RebuildFiltersProgress {
  bool rewriting = false;  // false while examining filters
  uint64_t files_done = 0;
  uint64_t files = 0;
  uint64_t bytes_done = 0;  // while rewriting
  uint64_t bytes = 0;
};

// Called on the calling thread before each file, and about ten times per second
// while it waits for files that are being compacted. Returning false ends the
// call after the file that is currently being rewritten.
using RebuildFiltersCallback =
    std::function<bool(const RebuildFiltersProgress& progress)>;

// Examines the filters of all live files and rewrites files with poor ones
// through DB::CompactFiles. Each file is rewritten alone and into its own
// level, with that level's compression, so lookups find the same rows and each
// level keeps its size. As in every compaction, old versions that no snapshot
// needs are dropped, compaction filters run, and blob files are carried over.
// To a compaction filter each is a manual compaction.
//
// Each file is rewritten as fast as DBOptions::rate_limiter lets RocksDB write.
// Files that another compaction holds are retried later. Automatic compactions
// rewrite files anyway; this call is for levels that they rarely touch. While a
// file of L0 is rewritten in a database with leveled compaction, RocksDB delays
// its own L0 compactions.
//
// A compaction that fills the disk makes RocksDB stop all writes. So before
// each file is rewritten, its path must have this many bytes free: 1.1 times
// the file's size, plus twice the write buffers of all `column_families`, once
// for flushes and once for write-ahead logs. Their size is write_buffer_size
// times max_write_buffer_number, at most db_write_buffer_size, but at least
// what all write buffers hold now. Files without that space are left unchanged.
// Nothing is checked if the database's FileSystem can't report free space.
//
// Returns OK once every poor file has been dealt with; `report`, unless null,
// has the outcome of each, after an error those of the files planned until
// then. Errors:
//   InvalidArgument  a column family's policy is neither linebloom's nor
//                    RocksDB's own, or builds no filters; nothing was changed
//   Incomplete       `progress` returned false, or manual compactions are
//                    disabled (DB::DisableManualCompaction)
//   NotSupported     the database is open for reading only
// and RocksDB's own errors, after which the database may refuse writes, as
// after any failed compaction.
//
// Don't drop a column family while its filters are rebuilt (docs/program.md,
// "In a running application").
//
// Runs on the calling thread. It may be called from any thread at any time, but
// DB::Close must wait until it returns.
LINEBLOOM_EXPORT rocksdb::Status RebuildFilters(
    rocksdb::DB* db, const RebuildFiltersOptions& options,
    const RebuildFiltersCallback& progress = nullptr,
    RebuildFiltersReport* report = nullptr);

}  // namespace linebloom
