// Reads every entry of an SSTable with RocksDB's public reader.
#pragma once

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "rocksdb/env.h"
#include "rocksdb/sst_file_reader.h"

namespace linebloom {

// Needs neither the comparator nor the merge operator of the file. Keeps out of
// block caches and statistics. Not thread-safe. RocksDB may throw bad_alloc if
// the file is damaged.
class EntryReader {
 public:
  // `env` must outlive this.
  explicit EntryReader(std::string path,
                       rocksdb::Env* env = rocksdb::Env::Default());
  ~EntryReader();

  // OK, or the reason why RocksDB can't open the file.
  absl::Status Open();

  // Calls `sink` with the user key of every entry in file order except range
  // deletions, with timestamps at its end. Stops at the first error of `sink`.
  // DataLoss if the checksum of a data or index block is wrong.
  absl::Status ForEach(
      absl::FunctionRef<absl::Status(absl::string_view user_key)> sink);

  // Bytes of timestamp at the end of each user key, which filters omit.
  size_t timestamp_size() const { return timestamp_size_; }

 private:
  class OrderOfAnyFile;

  const std::string path_;
  const std::unique_ptr<OrderOfAnyFile> order_;
  rocksdb::SstFileReader reader_;
  bool may_have_merge_operands_ = true;
  size_t timestamp_size_ = 0;
};

}  // namespace linebloom
