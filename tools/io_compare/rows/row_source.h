// The contents of the databases that io_compare compares.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "rocksdb/comparator.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/slice.h"

namespace linebloom::tools {

enum class EntryKind { kPut, kDelete, kSingleDelete, kMerge };

// One entry of an SSTable. The slices are valid until the sink returns.
struct Entry {
  EntryKind kind;
  rocksdb::Slice key;
  rocksdb::Slice value;
};

// An SSTable to be created.
struct PlannedFile {
  int level;
  uint64_t entries;
  rocksdb::CompressionType compression;
};

// Rows laid out in files and levels. Every call returns the same, so the
// databases of all policies are alike. One thread.
class RowSource {
 public:
  virtual ~RowSource() = default;

  // The files in the order of creation: from the deepest level up, and in level
  // 0 from the oldest to the newest.
  const std::vector<PlannedFile>& files() const { return files_; }

  // Calls `sink` for the entries of `files()[file]` in key order until it
  // fails.
  virtual absl::Status ReadFile(
      size_t file, absl::FunctionRef<absl::Status(const Entry&)> sink) = 0;

  virtual const rocksdb::Comparator* comparator() const {
    return rocksdb::BytewiseComparator();
  }
  virtual uint64_t block_size() const { return 4096; }

  // Estimated bytes of all files together, without filters.
  virtual uint64_t ApproximateBytes() const = 0;

  uint64_t TotalEntries() const {
    uint64_t sum = 0;
    for (const PlannedFile& file : files_) sum += file.entries;
    return sum;
  }

 protected:
  std::vector<PlannedFile> files_;
};

}  // namespace linebloom::tools
