// The filter of one SSTable: its kind, the rate to expect and its cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "table/block_facts.h"
#include "table/sst_file.h"

namespace linebloom {

struct FileFacts {
  uint32_t format_version = 0;
  Properties properties;
  FilterKind filter_kind = FilterKind::kNone;
  std::string compatibility_name;
  uint64_t blocks = 0;  // filter blocks; a full filter has 1
  uint64_t bytes = 0;   // including the index of a partitioned filter
  uint64_t index_bytes = 0;

  // Represents what the blocks of a filter have in common: kind, format, kind
  // of line.
  BlockFacts first;
  bool mixed = false;  // some blocks differ in kind from the first
  // False if no policy builds such a mixture. One does: RocksDB's Ribbon policy
  // builds Bloom filters for partitions with few keys.
  bool of_one_policy = true;

  // True if a partition has 0 bytes, which is one of the problems. RocksDB's
  // own policies write them from 9.6 on, if no key of a partition has a prefix
  // and whole_key_filtering is off.
  bool has_gaps = false;

  // The number of keys and prefixes added: from linebloom's own metadata, else
  // from the table properties, which have it since RocksDB 6.22.
  std::optional<uint64_t> keys;

  // The mean rate of the blocks, weighted by their keys, or by their bytes if
  // their keys are unknown. 1 for a file without a filter.
  double rate = 1;
  bool rate_is_known = true;  // false for legacy Bloom: a lower limit
  // The rate in linebloom's metadata, averaged in the same way.
  std::optional<double> rate_in_metadata;
  // True if `rate` comes from the bits alone, without assumptions.
  bool rate_is_exact = false;

  // Each problem of the filter in one sentence.
  std::vector<std::string> problems;

  bool has_filter() const { return filter_kind != FilterKind::kNone; }
  // True if a present-day RocksDB uses the filter at all.
  bool is_used() const;
  // Entries of all kinds except range deletions.
  uint64_t rows() const {
    return properties.num_entries -
           std::min(properties.num_entries, properties.num_range_deletions);
  }
  // Filter bits per key, or per row if the number of keys is unknown.
  std::optional<double> bits_per_key() const;
};

// Reads all filter blocks of the file.
absl::StatusOr<FileFacts> ReadFileFacts(const SstFile& file);
absl::StatusOr<FileFacts> ReadFileFacts(const std::string& path);

}  // namespace linebloom
