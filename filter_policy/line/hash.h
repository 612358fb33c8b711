// The hash of a key (docs/format.md, "The hash of a key"), and its seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "linebloom/line.h"

namespace linebloom {

// XXH3, which is stable since xxHash 0.8.0, so hashes may be stored on disk;
// absl::Hash differs from process to process.
uint64_t HashUnseeded(const char* key, size_t size);

// The hash of RocksDB's Bloom filter, for plain lines, with its halves
// exchanged (plain_probes.h).
uint64_t HashForPlainLines(const char* key, size_t size);

// Hashes the keys of one filter. Immutable.
class KeyHash {
 public:
  // For solved lines: SipHash-1-3, a keyed hash; XXH3 if the seed is 0, as it
  // is for plain lines.
  //
  // XXH3's own seed is only added to public numbers, and an attacker who sees
  // which keys a filter lets through can recover it (SECURITY.md).
  //
  // Rejected: XXH3 with a secret of 192 bytes derived from the seed. It is
  // faster unless a lookup waits for the secret from memory, but keys of 4 to 8
  // bytes only meet the secret in a single XOR (docs/design.md).
  explicit KeyHash(uint64_t seed = 0, LineKind line = LineKind::kSolved);

  uint64_t seed() const { return key_[0]; }
  LineKind line() const { return line_; }

  uint64_t operator()(const char* key, size_t size) const {
    if (line_ == LineKind::kPlain) return HashForPlainLines(key, size);
    return seed() == 0 ? HashUnseeded(key, size) : HashSeeded(key, size);
  }

 private:
  uint64_t HashSeeded(const char* key, size_t size) const;

  uint64_t key_[2];  // the seed and a value derived from it
  LineKind line_;
};

// A fresh seed, not 0, from the operating system's entropy; nothing if it
// provides none (a kernel older than 3.17, or a sandbox that forbids
// getrandom). Never blocks once the system is up. Thread-safe.
std::optional<uint64_t> DrawHashSeed();

}  // namespace linebloom
