#include "tools/filter_dump/verify/entries.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/version.h"
#include "tools/shared/databases.h"

#define LINEBLOOM_HAS_TABLE_ITERATOR \
  (ROCKSDB_MAJOR > 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR >= 8))

namespace linebloom::tools {
namespace {

constexpr size_t kReadahead = 2 << 20;
// Sequence number and type after the user key in an internal key.
constexpr size_t kInternalKeySuffix = 8;

rocksdb::Options MakeOptions(const rocksdb::Comparator* comparator) {
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  rocksdb::Options options;
  options.comparator = comparator;
  options.merge_operator = std::make_shared<LastOperand>();
  options.info_log = std::make_shared<QuietLogger>();
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

EntryReader::EntryReader(const std::string& path)
    : path_(path), reader_(MakeOptions(&order_)) {}

absl::Status EntryReader::Open() {
  const absl::Status status =
      FromRocksDb(reader_.Open(path_), absl::StrCat("cannot read ", path_));
  order_.PassEveryEntry();
  if (!status.ok()) return status;
  const auto properties = reader_.GetTableProperties();
  has_merge_operands_ = properties->num_merge_operands > 0;
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
  // Older versions of the iterator hide deletions unless asked for timestamps.
  // If one hides them nevertheless, the number of entries reveals it
  // (verify.cc).
  const rocksdb::Slice any_timestamp;
  options.iter_start_ts = &any_timestamp;
  const std::unique_ptr<rocksdb::Iterator> entry(reader_.NewIterator(options));
#endif
  const bool comes_bare = !LINEBLOOM_HAS_TABLE_ITERATOR && has_merge_operands_;
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
      key.remove_suffix(kInternalKeySuffix);
    }
    const absl::Status status = sink({key.data(), key.size()});
    if (!status.ok()) return status;
  }
  return FromRocksDb(entry->status(), absl::StrCat("cannot read ", path_));
}

}  // namespace linebloom::tools
