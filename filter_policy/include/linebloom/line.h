// The kinds of lines that a filter can have.
#pragma once

#include <cstdint>

namespace linebloom {

// A lookup reads one line of either kind, and files with either kind are
// readable whatever the policy builds. The values are stored in every filter.
enum class Line : uint8_t {
  // A classic Bloom filter in each cache line: the rate of RocksDB's own Bloom
  // filter, and the fastest to build.
  kPlain = 1,
  // Solved as a system of equations: less than a seventh of a Bloom filter's
  // rate at 10 bits per key. Below 2.25 bits per key, plain lines are built.
  kSolved = 2,
};

}  // namespace linebloom
