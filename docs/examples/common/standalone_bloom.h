// A Bloom filter that stands by itself in memory, for comparison: libbloom's.
#pragma once

#include <bloom.h>

#include <cstdint>
#include <string>

#include "common/example.h"

namespace examples {

class StandaloneBloom {
 public:
  // Is sized for `keys` keys; of missing ones about the share `rate` passes.
  StandaloneBloom(uint64_t keys, double rate) {
    Require(bloom_init(&bloom_, static_cast<int>(keys), rate) == 0,
            "libbloom takes no fewer than 1000 keys");
  }
  ~StandaloneBloom() { bloom_free(&bloom_); }
  StandaloneBloom(const StandaloneBloom&) = delete;
  StandaloneBloom& operator=(const StandaloneBloom&) = delete;

  void Add(const std::string& key) {
    bloom_add(&bloom_, key.data(), static_cast<int>(key.size()));
  }
  bool MayContain(const std::string& key) {
    return bloom_check(&bloom_, key.data(), static_cast<int>(key.size())) != 0;
  }
  uint64_t bytes() const { return static_cast<uint64_t>(bloom_.bytes); }

 private:
  struct bloom bloom_ = {};
};

}  // namespace examples
