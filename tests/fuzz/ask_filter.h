// Probes filters for keys made up by a fuzzer.
#pragma once

#include <string_view>
#include <vector>

#include "rocksdb/filter_policy.h"
#include "rocksdb/slice.h"
#include "tests/fuzz/exact_copy.h"
#include "tests/fuzz/fuzz_input.h"

namespace linebloom::testing {

class FuzzKeys {
 public:
  // Takes up to this many keys from the front of the input.
  FuzzKeys(FuzzInput* input, int most);

  const std::vector<rocksdb::Slice>& slices() const { return slices_; }

 private:
  std::vector<ExactCopy> bytes_;
  std::vector<rocksdb::Slice> slices_;
};

// A policy's answer for each key. Ends the process if a batch gets other
// answers. RocksDB's own readers take batches of at most 32 keys.
std::vector<bool> Ask(const rocksdb::FilterPolicy& policy,
                      const rocksdb::Slice& block, const FuzzKeys& keys);

// Ends the process unless linebloom's readers give these answers with every
// kernel of this machine. `block` must be a readable linebloom block.
void CheckKernels(std::string_view block, const FuzzKeys& keys,
                  const std::vector<bool>& answers);

}  // namespace linebloom::testing
