// Iterates over every entry of an SSTable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"
#include "rocksdb/sst_file_reader.h"

namespace linebloom::tools {

// A key order for files whose own comparator may be unknown.
//
// RocksDB sorts range deletions when it opens the file, so this must be a valid
// order: all keys are equal, and range deletions, which nothing reads, come out
// empty. Iterating from the first entry to the last only compares a key with
// its predecessor, to skip older versions. Then every key is greater than the
// previous one, and none is skipped.
class OrderOfAnyFile : public rocksdb::Comparator {
 public:
  void PassEveryEntry() { every_entry_is_new_ = true; }

  const char* Name() const override { return "linebloom.OrderOfAnyFile"; }
  int Compare(const rocksdb::Slice& /*a*/,
              const rocksdb::Slice& /*b*/) const override {
    return every_entry_is_new_ ? 1 : 0;
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const rocksdb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  bool every_entry_is_new_ = false;
};

// Reads files with RocksDB's public reader. Not thread-safe.
class EntryReader {
 public:
  explicit EntryReader(const std::string& path);

  // OK, or the reason why RocksDB can't open the file.
  absl::Status Open();

  // Calls `sink` with the user key of every entry in file order, including
  // deletions, merge operands and old versions, but not range deletions. If the
  // comparator has timestamps, they are at the end of the key. Stops at the
  // first error of `sink` and returns it. DataLoss if the checksum of a data or
  // index block is wrong.
  absl::Status ForEach(
      absl::FunctionRef<absl::Status(absl::string_view user_key)> sink);

  // Bytes of timestamp at the end of each user key, which filters omit.
  size_t timestamp_size() const { return timestamp_size_; }

 private:
  const std::string path_;
  OrderOfAnyFile order_;
  rocksdb::SstFileReader reader_;
  bool has_merge_operands_ = false;
  size_t timestamp_size_ = 0;
};

}  // namespace linebloom::tools
