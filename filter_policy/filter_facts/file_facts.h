// What the filter of one SSTable is, which rate it will have and what it costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "table/filter_locator.h"
#include "table/properties.h"
#include "table/random_access.h"
#include "table/sst_file.h"

namespace linebloom {

// An SSTable opened for its filter.
struct FilterFile {
  SstFile file;
  Properties properties;
  FilterLocation location;
};

absl::StatusOr<FilterFile> OpenFilterFile(const std::string& path);
absl::StatusOr<FilterFile> OpenFilterFile(std::unique_ptr<RandomAccess> bytes);

struct FileFacts {
  uint32_t format_version = 0;
  Properties properties;
  FilterKind filter_kind = FilterKind::kNone;
  std::string family;
  uint64_t blocks = 0;  // filter blocks: 1 of a full filter
  uint64_t bytes = 0;   // of the filter, index over partitions included

  // Of all blocks together. `first` stands for what blocks of one filter have
  // in common: kind, format, line.
  BlockFacts first;
  bool mixed = false;  // whether some blocks are of another kind than the first
  uint64_t lines = 0;
  double least_probes = 0;
  double most_probes = 0;
  double mean_probes = 0;  // over the lines
  double fill = 0;         // over the lines

  // Keys and prefixes that were added. Of linebloom from its own metadata;
  // else, from files of RocksDB 6.22 on, from the properties.
  std::optional<uint64_t> keys;

  // The mean of the blocks' rates, weighted by their keys or, where those are
  // not known, by their bytes: 1 for a file without a filter.
  double rate = 1;
  // What linebloom's metadata says of it, averaged in the same way.
  std::optional<double> rate_in_metadata;
  // Whether `rate` is from the bits themselves without any assumption.
  bool rate_is_exact = false;

  // What is wrong with the filter, a sentence each.
  std::vector<std::string> problems;

  bool has_filter() const { return filter_kind != FilterKind::kNone; }
  // Whether the filter is ever asked by a RocksDB of today.
  bool is_used() const;
  // Entries of every kind but range deletions.
  uint64_t rows() const {
    return properties.num_entries -
           std::min(properties.num_entries, properties.num_range_deletions);
  }
  // Bits of filter for each of its keys; of each row where those are unknown.
  std::optional<double> bits_per_key() const;
};

// Reads all filter blocks of the file.
absl::StatusOr<FileFacts> ReadFileFacts(const FilterFile& file);

}  // namespace linebloom
