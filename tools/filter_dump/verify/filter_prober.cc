#include "tools/filter_dump/verify/filter_prober.h"

#include <algorithm>
#include <utility>

#include "table/partition_index.h"

namespace linebloom::tools {

using rocksdb::Slice;

absl::StatusOr<FilterProber> FilterProber::Make(
    const FilterFile& file, const rocksdb::FilterPolicy& policy,
    const rocksdb::Comparator* comparator, size_t timestamp_size) {
  FilterProber prober;
  prober.comparator_ = comparator;
  for (const BlockHandle& handle : file.location.blocks) {
    absl::StatusOr<Block> block = ReadFilterBlock(file.file, handle);
    if (!block.ok()) return block.status();
    prober.blocks_.push_back(std::move(block->payload));
  }
  // Readers are views, so the strings must not move any more.
  for (const std::string& block : prober.blocks_) {
    prober.readers_.emplace_back(policy.GetFilterBitsReader(block));
  }
  if (file.location.kind == FilterKind::kPartitioned) {
    PartitionIndex partition(&file.location.partition_index, file.properties);
    while (partition.Next()) {
      absl::string_view key = partition.user_key();
      key.remove_suffix(std::min(timestamp_size, key.size()));
      prober.last_keys_.emplace_back(key);
    }
    if (!partition.status().ok()) return partition.status();
  }
  return prober;
}

// Keys come in order, so it is mostly the same partition or the next one.
size_t FilterProber::FindPartition(absl::string_view user_key) {
  if (last_keys_.empty()) return 0;
  const Slice key(user_key.data(), user_key.size());
  const bool not_before =
      current_ == 0 || Compare(last_keys_[current_ - 1], key) < 0;
  if (not_before && Compare(last_keys_[current_], key) >= 0) {
    return current_;
  }
  const auto found = std::lower_bound(
      last_keys_.begin(), last_keys_.end(), key,
      [this](const std::string& last_key, const Slice& sought) {
        return Compare(last_key, sought) < 0;
      });
  // RocksDB probes the last partition for keys beyond all of them.
  current_ =
      std::min<size_t>(found - last_keys_.begin(), last_keys_.size() - 1);
  return current_;
}

}  // namespace linebloom::tools
