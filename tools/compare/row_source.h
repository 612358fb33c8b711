// The contents of the databases that linebloom compare compares, and their
// shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "rocksdb/comparator.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/db.h"
#include "rocksdb/write_batch.h"
#include "tools/compare/keys.h"

namespace linebloom::tools {

using AddedEntry = absl::FunctionRef<absl::Status()>;

// An SSTable to be created.
struct FileToWrite {
  int level;
  uint64_t entries;  // about
  rocksdb::CompressionType compression;
};

// A live file, but for what depends on its filter. Files are in order.
struct FileShape {
  int level;
  std::string smallest_key;
  std::string largest_key;
  uint64_t entries;
  uint64_t deletions;  // included in the entries

  // NOLINTNEXTLINE(modernize-use-nullptr): what the compiler makes has a 0
  friend auto operator<=>(const FileShape&, const FileShape&) = default;
};
using Shape = std::vector<FileShape>;

Shape ReadShape(rocksdb::DB* db);

// Rows laid out in files and levels. Every reading returns the same, so the
// databases of all policies are alike. One thread.
struct RowSource {
  // In the order of creation: from the deepest level up, and in level 0 from
  // the oldest to the newest.
  std::vector<FileToWrite> files;

  // Puts the entries of `files[file]` into `batch`, in key order, and calls
  // `added` after each until that fails.
  std::function<absl::Status(size_t file, rocksdb::WriteBatch* batch,
                             AddedEntry added)>
      read;

  const rocksdb::Comparator* comparator = rocksdb::BytewiseComparator();
  uint64_t block_size = 4096;
  // Estimates without filters.
  uint64_t bytes = 0;
  uint64_t largest_file_bytes = 0;
  // What the files should become; empty if only `files` says it.
  Shape shape = {};

  uint64_t TotalEntries() const;
};

// Each run of LayeredRows() gets exactly its share of this many consecutive
// rows.
inline constexpr uint64_t kSharesOfAllRuns = 447;

inline constexpr uint64_t kValueBytes = 100;

// Six sorted runs: three files in level 0, and levels 1 to 3, each ten times as
// large as the one above, over the whole range of keys.
//
// `keys`, at least 2 * kSharesOfAllRuns, come from NumberedKeys. Values are
// incompressible.
RowSource LayeredRows(const Keys& keys, uint64_t seed);

}  // namespace linebloom::tools
