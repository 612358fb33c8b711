#include "filter_policy/policy/heat_log.h"

namespace linebloom {
namespace {

bool HeatHasChanged(double before, double now) {
  return now > 1.5 * before || before > 1.5 * now;
}

}  // namespace

void HeatLog::Write(rocksdb::Logger* info_log, const HeatProfile& heat) {
  if (info_log == nullptr) return;
  const HeatProfile::Part& coldest = heat.classes().front();
  const HeatProfile::Part& hottest = heat.classes().back();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!HeatHasChanged(last_hottest_, hottest.heat) &&
        !HeatHasChanged(last_coldest_, coldest.heat)) {
      return;
    }
    last_hottest_ = hottest.heat;
    last_coldest_ = coldest.heat;
  }
  rocksdb::Info(
      info_log,
      "linebloom: heat_aware: of %.0f lookups, %.2f times the average "
      "per key fall on the hottest %.1f %% of the keys, and %.2f times "
      "on the coldest %.1f %%; new files get their bits accordingly",
      heat.reads(), hottest.heat, 100 * hottest.key_share, coldest.heat,
      100 * coldest.key_share);
}

}  // namespace linebloom
