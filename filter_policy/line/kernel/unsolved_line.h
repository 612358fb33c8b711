// A solved line while it is built, and the memory for building it, alike for
// every kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "filter_policy/line/solved_probes.h"

namespace linebloom {

// Above this, a line has room for fewer than 2 probes per key.
inline constexpr int kMaxSolvedKeys = kLineUnknowns / 2;

// Equations that a stage may pass on to later ones. If more are left over, a
// line is tried again with fewer probes. For planes of single words the limit
// is lower.
inline constexpr int kMaxLeftovers = 40;
inline constexpr int kMaxSingles = 24;

struct UnsolvedLine {
  enum class Outcome { kSolved, kTooManyProbes, kFirstStageFails };

  // How many keys, counted from the first, have more than `whole_probes`
  // probes in a line of `total` thirty-seconds.
  int KeysWithMore(int whole_probes, int total) const {
    const int missing = kPerProbe * (whole_probes + 1) - total;
    return with_fraction_from[std::clamp(missing, 0, kPerProbe)];
  }

  // The number of probes of all keys together.
  int Probes(int total) const {
    const int whole = total / kPerProbe;
    return whole * keys() + KeysWithMore(whole, total);
  }

  int keys() const { return static_cast<int>(hashes.size()); }

  uint8_t* to;  // the line's bytes
  // The keys by descending fraction, so that those with an additional probe
  // come first.
  std::vector<uint64_t> hashes;
  // How many have at least that fraction.
  std::array<uint8_t, kPerProbe + 1> with_fraction_from;
  int header;  // to be tried next; in the end, the line's
  int tries;   // that failed
  Outcome outcome;
  UnsolvedLine* next;  // in a queue
};

// Memory that grows as needed: with AVX-512 165 KB, or 330 and 536 once there
// have been lines with fewer than 8 and 4 probes; an eighth for lines alone.
class SolveSpace {
 public:
  // An uninitialized T, gone with the next call. Not on the stack, where
  // RocksDB's threads may have little room.
  template <typename T>
  T* Make() {
    static_assert(alignof(T) <= alignof(CacheLine));
    constexpr size_t kNeeded =
        (sizeof(T) + sizeof(CacheLine) - 1) / sizeof(CacheLine);
    if (size_ < kNeeded) {
      memory_.reset();
      memory_.reset(new CacheLine[kNeeded]);  // make_unique would clear it
      size_ = kNeeded;
    }
    return reinterpret_cast<T*>(memory_.get());
  }

 private:
  struct alignas(64) CacheLine {
    std::byte bytes[64];
  };
  std::unique_ptr<CacheLine[]> memory_;
  size_t size_ = 0;
};

}  // namespace linebloom
