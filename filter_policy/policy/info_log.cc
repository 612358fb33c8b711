#include "filter_policy/policy/info_log.h"

#include <string_view>
#include <utility>

#include "filter_policy/rocksdb/policy_options.h"

namespace linebloom {
namespace {

// Filters take whole lines, and files are written at the same time.
constexpr double kOver = 1.1;

// True if one is more than `factor` times the other.
bool Differ(double before, double now, double factor) {
  return now > factor * before || before > factor * now;
}

bool AverageHasChanged(double before, double now) {
  return Differ(before, now, 1.25) ||
         (before >= kMinBitsOfRun) != (now >= kMinBitsOfRun);
}

// RocksDB's own comparators with timestamps don't say that without the
// timestamps, which aren't in filters, equal keys have equal bytes.
bool IsBytewiseWithTimestamps(std::string_view name) {
  return name == "leveldb.BytewiseComparator.u64ts" ||
         name == "rocksdb.ReverseBytewiseComparator.u64ts";
}

}  // namespace

void InfoLog::NoteOpening(const std::shared_ptr<rocksdb::Logger>& info_log) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(told_, [&info_log](const auto& entry) {
    const Told& told = entry.second;
    return told.log.expired() && (told.is_known || info_log == nullptr);
  });
  if (info_log == nullptr) return;
  Told& told = told_[info_log.get()];
  if (told.is_known) return;
  told = Told();
  told.log = info_log;
  told.is_known = true;
}

bool InfoLog::IsNew(const rocksdb::Logger* info_log, bool Told::*what) {
  if (info_log == nullptr) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  return !std::exchange(told_[info_log].*what, true);
}

void InfoLog::WarnOfOptions(rocksdb::Logger* info_log,
                            const rocksdb::Status& problem,
                            const std::string& instead) {
  if (!IsNew(info_log, &Told::options)) return;
  rocksdb::Warn(info_log,
                "%s. Until this is changed, filters are built with %s; the "
                "database will not open again as it is.",
                problem.ToString().c_str(), instead.c_str());
}

void InfoLog::NoteComparator(const rocksdb::Comparator* comparator) {
  if (comparator == nullptr ||
      !comparator->CanKeysWithDifferentByteContentsBeEqual() ||
      IsBytewiseWithTimestamps(comparator->Name())) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  comparator_ = comparator->Name();
}

void InfoLog::WarnOfComparator(rocksdb::Logger* info_log) {
  std::string comparator;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    comparator = comparator_;
  }
  if (comparator.empty() || !IsNew(info_log, &Told::comparator)) return;
  rocksdb::Warn(info_log,
                "linebloom: the comparator '%s' may call keys of different "
                "bytes equal, but filters tell them apart: a lookup by other "
                "bytes than those that were written may not find its row. Set "
                "FilterPolicyOptions::canonical_key or, if equal keys always "
                "have equal bytes, let the comparator's "
                "CanKeysWithDifferentByteContentsBeEqual() return false.",
                comparator.c_str());
}

void InfoLog::WarnOfListener(rocksdb::Logger* info_log, const std::string& id) {
  if (!IsNew(info_log, &Told::listener)) return;
  rocksdb::Warn(info_log,
                "linebloom: %s: level_aware=true without the listener "
                "linebloom_level_sizes among DBOptions::listeners, or with one "
                "that another copy of the library made: filters get their bits "
                "by the level alone, as if all levels were full, and take more "
                "than asked while the tree grows. Set NewLevelSizeListener() "
                "of linebloom/level_size_listener.h, or "
                "listeners=linebloom_level_sizes in an option string.",
                id.c_str());
}

void InfoLog::WarnOfSharing(rocksdb::Logger* info_log) {
  if (!IsNew(info_log, &Told::sharing)) return;
  rocksdb::Warn(info_log,
                "linebloom: heat_aware: several column families share this "
                "policy, which can't tell their lookups apart: filters get "
                "the bits of level_aware. Give each column family a policy of "
                "its own.");
}

void InfoLog::WriteBudget(rocksdb::Logger* info_log, uint64_t budget,
                          const BudgetState& state) {
  if (info_log == nullptr) return;
  if (state.other_budget > 0 && IsNew(info_log, &Told::budgets)) {
    rocksdb::Warn(info_log,
                  "linebloom: policies with memory_budget=%s and %s share a "
                  "listener, which counts all filters for both: the smaller "
                  "one may be used up by the files of the other. Give them the "
                  "same budget, or databases a listener each.",
                  ByteCountText(budget).c_str(),
                  ByteCountText(state.other_budget).c_str());
  }
  const double bytes = state.filters.bits / 8;
  const bool is_over = bytes > kOver * static_cast<double>(budget);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Told& told = told_[info_log];
    if (is_over == told.was_over &&
        !AverageHasChanged(told.last_average, state.average_bits)) {
      return;
    }
    told.last_average = state.average_bits;
    told.was_over = is_over;
  }
  const bool too_small = state.average_bits < kMinBitsOfRun;
  rocksdb::Log(is_over || too_small ? rocksdb::InfoLogLevel::WARN_LEVEL
                                    : rocksdb::InfoLogLevel::INFO_LEVEL,
               info_log,
               "linebloom: memory_budget=%s: filters of %.0f keys take %.0f "
               "bytes, those of %.0f further keys are not known; new files get "
               "%.2f bits per key on average%s%s",
               ByteCountText(budget).c_str(), state.filters.keys, bytes,
               state.filters.unknown, state.average_bits,
               too_small ? "; with less than one bit per key some files get "
                           "no filter"
                         : "",
               is_over ? "; flushed files get none until compactions or "
                         "linebloom::RebuildFilters give memory back"
                       : "");
}

void InfoLog::WriteHeat(rocksdb::Logger* info_log, const HeatProfile& heat) {
  if (info_log == nullptr) return;
  const HeatProfile::Part& coldest = heat.classes().front();
  const HeatProfile::Part& hottest = heat.classes().back();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Told& told = told_[info_log];
    if (!Differ(told.last_hottest, hottest.heat, 1.5) &&
        !Differ(told.last_coldest, coldest.heat, 1.5)) {
      return;
    }
    told.last_hottest = hottest.heat;
    told.last_coldest = coldest.heat;
  }
  rocksdb::Info(
      info_log,
      "linebloom: heat_aware: of %.0f sampled misses, %.2f times the average "
      "per key fall on the hottest %.1f %% of the keys, and %.2f times "
      "on the coldest %.1f %%; new files get their bits accordingly",
      heat.misses(), hottest.heat, 100 * hottest.key_share, coldest.heat,
      100 * coldest.key_share);
}

}  // namespace linebloom
