// What an SSTable says about itself, as far as a tool for filters needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "table/block.h"
#include "table/footer.h"
#include "table/random_access.h"

namespace linebloom {

// Numbers that a file doesn't name are 0 and texts empty, unless stated. So are
// texts for which RocksDB wrote "nullptr".
struct Properties {
  uint64_t num_entries = 0;  // of every kind, deletions included
  uint64_t num_deletions = 0;
  uint64_t num_range_deletions = 0;
  // Keys and prefixes added to the filter. RocksDB 6.22 and newer write it.
  std::optional<uint64_t> num_filter_entries;

  uint64_t raw_key_size = 0;    // bytes, before compression
  uint64_t raw_value_size = 0;  // bytes, before compression
  uint64_t data_size = 0;       // bytes of the data blocks as stored
  uint64_t index_size = 0;      // bytes
  // Bytes of the filter without trailers; of a partitioned one all partitions
  // and their index.
  uint64_t filter_size = 0;

  // `FilterPolicy::Name()`. The metaindex has the family instead.
  std::string filter_policy_name;
  std::string prefix_extractor_name;
  std::string comparator_name;
  std::string column_family_name;
  std::optional<uint64_t> column_family_id;  // empty from SstFileWriter

  // Whether the filter has the whole keys, and whether it has the prefixes
  // where there is an extractor. True for a file that doesn't say: old.
  bool whole_key_filtering = true;
  bool prefix_filtering = true;

  // How the index over a filter's partitions is written.
  bool index_key_is_user_key = false;
  bool index_value_is_delta_encoded = false;

  // Of a file made by SstFileWriter: the sequence number of all its keys, 0
  // before the file is ingested.
  std::optional<uint64_t> global_sequence_number;
};

// Reads the property block at `handle`. DataLoss where it is damaged.
absl::StatusOr<Properties> ReadProperties(const RandomAccess& file,
                                          const Footer& footer,
                                          const BlockHandle& handle);

// The second half of it: what the block says. DataLoss for a block or a value
// that breaks the format.
absl::StatusOr<Properties> ParseProperties(const Block& block);

}  // namespace linebloom
