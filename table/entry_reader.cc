#include "table/entry_reader.h"

#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/iterator.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/version.h"
#include "table/format.h"
#include "table/status.h"

#define LINEBLOOM_HAS_TABLE_ITERATOR \
  (ROCKSDB_MAJOR > 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR >= 8))

namespace linebloom {
namespace {

constexpr size_t kReadahead = 2 << 20;

rocksdb::Options OptionsFor(const rocksdb::Comparator* comparator,
                            rocksdb::Env* env) {
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  rocksdb::Options options;
  options.env = env;
  options.comparator = comparator;
  // Keeps the newest operand: an entry stays an entry.
  (void)rocksdb::MergeOperator::CreateFromString(
      rocksdb::ConfigOptions(), "put", &options.merge_operator);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

size_t TimestampSize(const rocksdb::TableProperties& properties) {
  if (!absl::EndsWith(properties.comparator_name, ".u64ts")) return 0;
#if ROCKSDB_MAJOR > 8 || (ROCKSDB_MAJOR == 8 && ROCKSDB_MINOR >= 3)
  if (properties.user_defined_timestamps_persisted == 0) return 0;
#endif
  return sizeof(uint64_t);
}

}  // namespace

// A key order for files whose own comparator may be unknown. RocksDB sorts
// range deletions when it opens a file, so all keys are equal then. Iterating
// only compares a key with the one before, to skip older versions; then each is
// greater, and none is skipped.
class EntryReader::OrderOfAnyFile : public rocksdb::Comparator {
 public:
  void PassEveryEntry() { every_entry_is_new_ = true; }

  const char* Name() const override { return "linebloom.OrderOfAnyFile"; }
  int Compare(const rocksdb::Slice& /*a*/,
              const rocksdb::Slice& /*b*/) const override {
    return every_entry_is_new_ ? 1 : 0;
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const rocksdb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  bool every_entry_is_new_ = false;
};

EntryReader::EntryReader(std::string path, rocksdb::Env* env)
    : path_(std::move(path)),
      order_(std::make_unique<OrderOfAnyFile>()),
      reader_(OptionsFor(order_.get(), env)) {}

EntryReader::~EntryReader() = default;

absl::Status EntryReader::Open() {
  RETURN_IF_ERROR(
      FromRocksDb(reader_.Open(path_), absl::StrCat("cannot read ", path_)));
  order_->PassEveryEntry();
  // Null if RocksDB doesn't find them, as in LevelDB's files.
  const auto properties = reader_.GetTableProperties();
  if (properties == nullptr) return absl::OkStatus();
  may_have_merge_operands_ = properties->num_merge_operands > 0;
  timestamp_size_ = TimestampSize(*properties);
  return absl::OkStatus();
}

absl::Status EntryReader::ForEach(
    absl::FunctionRef<absl::Status(absl::string_view user_key)> sink) {
  rocksdb::ReadOptions options;
  options.readahead_size = kReadahead;
  options.total_order_seek = true;
  options.fill_cache = false;
#if LINEBLOOM_HAS_TABLE_ITERATOR
  const std::unique_ptr<rocksdb::Iterator> entry(reader_.NewTableIterator());
#else
  // Older iterators hide deletions unless asked for timestamps. If one hides
  // them nevertheless, the number of entries reveals it.
  const rocksdb::Slice any_timestamp;
  options.iter_start_ts = &any_timestamp;
  const std::unique_ptr<rocksdb::Iterator> entry(reader_.NewIterator(options));
#endif
  const bool comes_bare =
      !LINEBLOOM_HAS_TABLE_ITERATOR && may_have_merge_operands_;
  std::string bare_key;
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
    rocksdb::Slice key;
    // Merged entries come without the suffix, and key() must not be called.
    if (comes_bare) {
      const rocksdb::Status status =
          entry->GetProperty("rocksdb.iterator.internal-key", &bare_key);
      if (!status.ok()) return FromRocksDb(status, path_);
      key = bare_key;
    } else {
      key = entry->key();
      if (key.size() < kInternalKeySuffix) {
        return absl::DataLossError(
            absl::StrCat(path_, ": an entry has a key of ", key.size(),
                         " bytes, which is too short"));
      }
      key.remove_suffix(kInternalKeySuffix);
    }
    RETURN_IF_ERROR(sink({key.data(), key.size()}));
  }
  return FromRocksDb(entry->status(), absl::StrCat("cannot read ", path_));
}

}  // namespace linebloom
