// The kinds of lines that a filter can have.
#pragma once

#include <cstdint>

namespace linebloom {

// A lookup reads one line of either kind, and files with either kind are
// readable whatever the policy builds.
enum class LineKind : uint8_t {
  // RocksDB's own Bloom filter, byte for byte, but built and probed by
  // linebloom's kernels: the fastest to build, and readable by every RocksDB
  // from 6.6 on. Its format has no room for a seed, a canonical key or a rate.
  kPlain = 1,
  // Solved as a system of equations: less than a seventh of a Bloom filter's
  // rate at 10 bits per key. Below 2.25 bits per key, plain lines are built.
  kSolved = 2,
};

}  // namespace linebloom
