// Sorts a filter's hashes by group of lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter_policy/filter/hash_list.h"

namespace linebloom {

// Iterates over the groups of a filter's lines in order. The hashes of a group
// come in any order, because its bytes don't depend on that. So one pass that
// counts and one that moves are enough, without comparing hashes. In addition
// to the list this takes the memory of the list's largest bucket.
class GroupPartition {
 public:
  // `hashes` must outlive this and stay unchanged. `lines` is at least 1.
  GroupPartition(const HashList& hashes, uint32_t lines);

  // The hashes of the next group, valid until the next call. Call this
  // GroupsOf(lines) times, for group 0, 1, ...
  std::span<const uint64_t> Next();

 private:
  uint64_t FirstHashOf(size_t bucket) const;
  std::span<const uint64_t> HashesOf(uint32_t group) const;
  void LoadBucket();

  const HashList& hashes_;
  const uint32_t lines_;
  size_t next_bucket_ = 0;
  uint32_t next_group_ = 0;
  uint32_t first_group_ = 0;   // of those loaded
  uint32_t end_of_whole_ = 0;  // all groups before this are completely loaded
  std::vector<uint64_t> loaded_;
  std::vector<size_t> starts_;  // where each group begins in `loaded_`
  // Hashes of a group that continues in the next bucket.
  std::vector<uint64_t> carried_;
};

}  // namespace linebloom
