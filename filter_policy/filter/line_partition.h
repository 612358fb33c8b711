// A filter's hashes, line by line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter_policy/filter/hash_list.h"

namespace linebloom {

// Goes over the lines of a filter in order. Within a line, hashes come in any
// order: a line's bytes do not depend on it, and so one pass that counts and
// one that moves do, without comparing hashes. Beside the list it needs the
// memory of the list's largest bucket.
class LinePartition {
 public:
  // `hashes` must outlive this and not change. `lines` is at least 1.
  LinePartition(const HashList& hashes, uint32_t lines);

  // The hashes of the next line, valid until the next call. To be called
  // `lines` times: for line 0, 1, ...
  std::span<const uint64_t> Next();

 private:
  uint64_t FirstHashOf(size_t bucket) const;
  std::span<const uint64_t> HashesOf(uint32_t line) const;
  void LoadBucket();

  const HashList& hashes_;
  const uint32_t lines_;
  size_t next_bucket_ = 0;
  uint32_t next_line_ = 0;
  uint32_t first_line_ = 0;    // of those loaded
  uint32_t end_of_whole_ = 0;  // the lines before it are loaded entirely
  std::vector<uint64_t> loaded_;
  std::vector<size_t> starts_;  // where each line begins in `loaded_`
  // Of a line that goes on in the next bucket.
  std::vector<uint64_t> carried_;
};

}  // namespace linebloom
