// Probes the filter of an SSTable as RocksDB does.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "rocksdb/comparator.h"
#include "rocksdb/filter_policy.h"

namespace linebloom::tools {

// Holds all filter blocks of a file in memory. The readers are those that
// linebloom's policy gives RocksDB, also for RocksDB's own filters. Not
// thread-safe.
class FilterProber {
 public:
  // `policy` must outlive this. `comparator` finds partitions and may be null
  // for a filter without any. The keys in their index end with `timestamp_size`
  // bytes of timestamp.
  static absl::StatusOr<FilterProber> Make(
      const FilterFile& file, const rocksdb::FilterPolicy& policy,
      const rocksdb::Comparator* comparator, size_t timestamp_size);

  // Probes for `entry`, a key or a prefix, as a lookup of `user_key` does: a
  // key of the file or near one, without timestamp.
  bool MayMatch(absl::string_view entry, absl::string_view user_key) {
    return readers_.empty() || readers_[FindPartition(user_key)]->MayMatch(
                                   {entry.data(), entry.size()});
  }

 private:
  FilterProber() = default;

  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const {
    return comparator_->CompareWithoutTimestamp(a, /*a_has_ts=*/false, b,
                                                /*b_has_ts=*/false);
  }
  size_t FindPartition(absl::string_view user_key);

  std::vector<std::string> blocks_;
  std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers_;
  // For each partition a key that none of its keys is after; empty for a full
  // filter.
  std::vector<std::string> last_keys_;
  const rocksdb::Comparator* comparator_ = nullptr;
  size_t current_ = 0;  // the partition that was probed last
};

}  // namespace linebloom::tools
