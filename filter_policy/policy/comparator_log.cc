#include "filter_policy/policy/comparator_log.h"

#include <string_view>

namespace linebloom {
namespace {

// RocksDB's own comparators with timestamps don't say that without the
// timestamps, which aren't in filters, equal keys have equal bytes.
bool IsBytewiseWithTimestamps(std::string_view name) {
  return name == "leveldb.BytewiseComparator.u64ts" ||
         name == "rocksdb.ReverseBytewiseComparator.u64ts";
}

}  // namespace

void ComparatorLog::Note(const rocksdb::Comparator* comparator) {
  if (comparator == nullptr ||
      !comparator->CanKeysWithDifferentByteContentsBeEqual() ||
      IsBytewiseWithTimestamps(comparator->Name())) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  comparator_ = comparator->Name();
}

void ComparatorLog::Write(rocksdb::Logger* info_log) {
  std::string comparator;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    comparator = comparator_;
  }
  if (comparator.empty() || !warned_.Insert(info_log)) return;
  rocksdb::Warn(info_log,
                "linebloom: the comparator '%s' may call keys of different "
                "bytes equal, but filters tell them apart: a lookup by other "
                "bytes than those that were written may not find its row. Set "
                "FilterPolicyOptions::canonical_key or, if equal keys always "
                "have equal bytes, let the comparator's "
                "CanKeysWithDifferentByteContentsBeEqual() return false.",
                comparator.c_str());
}

}  // namespace linebloom
