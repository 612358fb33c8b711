#include "filter_policy/policy/budget_log.h"

#include <cmath>

#include "filter_policy/rocksdb/byte_count.h"
#include "filter_policy/sizing/level_allocation.h"

namespace linebloom {
namespace {

constexpr double kChange = 1.25;

// Beside whole lines and files that are written at the same time.
constexpr double kOver = 1.1;

bool AverageHasChanged(double before, double now) {
  return now > kChange * before || before > kChange * now ||
         (before >= kMinBitsOfRun) != (now >= kMinBitsOfRun);
}

}  // namespace

void BudgetLog::Write(rocksdb::Logger* info_log, uint64_t budget,
                      const BudgetState& state) {
  if (info_log == nullptr) return;
  const double bytes = state.filters.bits / 8;
  const bool is_over = bytes > kOver * static_cast<double>(budget);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_over == was_over_ &&
        !AverageHasChanged(last_average_, state.average_bits)) {
      return;
    }
    last_average_ = state.average_bits;
    was_over_ = is_over;
  }
  const bool too_small = state.average_bits < kMinBitsOfRun;
  rocksdb::Log(is_over || too_small ? rocksdb::InfoLogLevel::WARN_LEVEL
                                    : rocksdb::InfoLogLevel::INFO_LEVEL,
               info_log,
               "linebloom: memory_budget=%s: filters of %.0f keys take %.0f "
               "bytes, those of %.0f further keys are not known; new files get "
               "%.2f bits per key on average%s%s",
               ByteCountText(budget).c_str(), state.filters.keys, bytes,
               state.filters.unknown_keys, state.average_bits,
               too_small ? "; with less than one bit per key some files get "
                           "no filter"
                         : "",
               is_over ? "; flushed files get none until compactions or "
                         "linebloom::RebuildFilters give memory back"
                       : "");
}

}  // namespace linebloom
