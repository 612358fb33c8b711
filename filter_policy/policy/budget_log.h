// What a memory budget comes to, in the info log.
#pragma once

#include <cstdint>
#include <mutex>

#include "filter_policy/levels/memory_budget.h"
#include "rocksdb/env.h"

namespace linebloom {

// Thread-safe.
class BudgetLog {
 public:
  // Writes a line when what files get has changed by a quarter since the last
  // one, or the filters come to exceed the budget or no longer do. With less
  // than one bit per key, and above the budget, it is a warning.
  void Write(rocksdb::Logger* info_log, uint64_t budget,
             const BudgetState& state);

 private:
  std::mutex mutex_;
  double last_average_ = 0;
  bool was_over_ = false;
};

}  // namespace linebloom
