// Reports to the info log what a memory budget comes to.
#pragma once

#include <cstdint>
#include <mutex>

#include "filter_policy/levels/memory_budget.h"
#include "rocksdb/env.h"

namespace linebloom {

// Thread-safe.
class BudgetLog {
 public:
  // Writes a line if the bits of new files have changed by a quarter since the
  // last line, or if the filters have started or stopped exceeding the budget.
  // Below one bit per key, and above the budget, it is a warning.
  void Write(rocksdb::Logger* info_log, uint64_t budget,
             const BudgetState& state);

 private:
  std::mutex mutex_;
  double last_average_ = 0;
  bool was_over_ = false;
};

}  // namespace linebloom
