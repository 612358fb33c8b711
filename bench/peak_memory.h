// Measures the peak memory of a piece of work.
#pragma once

#include <cstddef>

namespace linebloom {

// Measures from construction on. Only one at a time: it resets the process's
// peak (Linux: /proc/self/clear_refs).
class PeakMemory {
 public:
  PeakMemory();

  // The peak resident memory of the process since construction, minus the
  // resident memory at construction, in bytes.
  size_t Growth() const;

 private:
  size_t at_first_;
};

}  // namespace linebloom
