// How much memory a piece of work took at most.
#pragma once

#include <cstddef>

namespace linebloom {

// From its construction on. One at a time: it resets the process's own peak
// (Linux: /proc/self/clear_refs).
class PeakMemory {
 public:
  PeakMemory();

  // By how many bytes the process's resident memory has been above what it was
  // at the beginning, at most.
  size_t Growth() const;

 private:
  size_t at_first_;
};

}  // namespace linebloom
