// The properties of an SSTable, as far as tools for filters need them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "table/block.h"
#include "table/format.h"
#include "table/random_access.h"

namespace linebloom {

// Numbers missing from the file are 0 and texts empty, unless stated otherwise.
// Texts are also empty if RocksDB wrote "nullptr".
struct Properties {
  uint64_t num_entries = 0;  // of all kinds, including deletions
  uint64_t num_deletions = 0;
  uint64_t num_range_deletions = 0;
  // Keys and prefixes added to the filter, written since RocksDB 6.22.
  std::optional<uint64_t> num_filter_entries;

  // Bytes of the filter without trailers; of a partitioned one, the sum of all
  // partitions and their index.
  uint64_t filter_size = 0;

  // FilterPolicy::Name(). The metaindex has the family instead.
  std::string filter_policy_name;
  std::string prefix_extractor_name;
  std::string comparator_name;
  std::string column_family_name;

  // True if the filter contains whole keys, and prefixes if there is an
  // extractor. Old files don't say; then both are true.
  bool whole_key_filtering = true;
  bool prefix_filtering = true;

  // How the index over a filter's partitions is encoded.
  bool index_key_is_user_key = false;
  bool index_value_is_delta_encoded = false;

  // The sequence number of all keys in a file written by SstFileWriter, 0
  // until the file is ingested.
  std::optional<uint64_t> global_sequence_number;
};

// Reads the property block at `handle`. DataLoss if it is damaged.
absl::StatusOr<Properties> ReadProperties(const RandomAccess& file,
                                          const Footer& footer,
                                          const BlockHandle& handle);

// The second step: parses the block. DataLoss if the block or a value breaks
// the format.
absl::StatusOr<Properties> ParseProperties(const Block& block);

}  // namespace linebloom
