#include "tools/compare/measure.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/listener/level_size_listener.h"
#include "filter_policy/tree/tree_state.h"
#include "rocksdb/cache.h"
#include "rocksdb/listener.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"
#include "table/status.h"
#include "tools/database/databases.h"
#include "tools/database/out_ptr.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

// Writes come in batches, and files on their way to a deeper level are flushed
// in pieces. Neither size affects the result.
constexpr size_t kBatchBytes = 64 << 10;
constexpr uint64_t kPieceBytes = 64 << 20;

rocksdb::Options BaseOptions(const RowSource& rows,
                             const FilterPolicyPtr& policy,
                             const CacheOptions& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = policy;
  table.block_size = rows.block_size;
  // Sizes are compared, so they must be as requested.
  table.optimize_filters_for_memory = false;
  table.cache_index_and_filter_blocks = cache.holds_filters;
  table.pin_l0_filter_and_index_blocks_in_cache = cache.holds_filters;
  table.block_cache = rocksdb::NewLRUCache(cache.bytes, /*num_shard_bits=*/0);
  if (cache.partitioned) {
    table.partition_filters = true;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  }

  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.comparator = rows.comparator;
  options.merge_operator = LastOperand();
  options.info_log = std::make_shared<QuietLogger>();
  options.max_open_files = -1;
  // Keeps RocksDB from reading and writing on its own.
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

// Tells the policy of each new file how large the levels of the finished tree
// are, as a live database's listener would. (Flushes write in RocksDB's own
// threads.)
class LevelSizes final : public rocksdb::EventListener {
 public:
  LevelSizes(const RowSource& rows, ListenerApi* api) : api_(api) {
    TreeState tree;
    for (const FileToWrite& file : rows.files) {
      const auto entries = static_cast<double>(file.entries);
      tree.Add({.rows = entries, .files = 1}, file.level);
    }
    tree_ = std::make_shared<const TreeState>(std::move(tree));
  }

  void OnTableFileCreationStarted(
      const rocksdb::TableFileCreationBriefInfo& /*info*/) override {
    api_->OverrideTree(tree_, nullptr);
  }
  void OnTableFileCreated(
      const rocksdb::TableFileCreationInfo& /*info*/) override {
    api_->OverrideTree(nullptr, nullptr);
  }

 private:
  ListenerApi* const api_;
  std::shared_ptr<const TreeState> tree_;
};

rocksdb::Options BuildOptions(const RowSource& rows,
                              const FilterPolicyPtr& policy,
                              const CacheOptions& cache) {
  rocksdb::Options options = BaseOptions(rows, policy, cache);
  // In this order: the second is told of a file after the first.
  const auto listener = NewLevelSizeListener();
  options.listeners = {
      std::make_shared<LevelSizes>(rows, ApiOf(listener.get())), listener};
  options.create_if_missing = true;
  options.error_if_exists = true;
  options.disable_auto_compactions = true;
  options.level_compaction_dynamic_level_bytes = false;
  for (const FileToWrite& file : rows.files) {
    options.num_levels = std::max(options.num_levels, file.level + 1);
    // Flushed files get the compression of the column family.
    if (file.level == 0) options.compression = file.compression;
  }
  // Flush only on request. (CompactFiles() doesn't cut files on its own.)
  options.write_buffer_size = size_t{64} << 30;
  options.max_subcompactions = 1;
  // Allows any number of files in level 0.
  options.level0_file_num_compaction_trigger = 1 << 30;
  options.level0_slowdown_writes_trigger = 1 << 30;
  options.level0_stop_writes_trigger = 1 << 30;
  // Report a full disk instead of waiting for space.
  options.max_bgerror_resume_count = 0;
  return options;
}

// Writes rows to level 0.
class Loader {
 public:
  Loader(const RowSource& rows, rocksdb::DB* db, const std::string& path,
         Progress* progress)
      : rows_(rows),
        db_(db),
        what_(absl::StrCat("cannot write to '", path, "'")),
        progress_(progress) {}

  absl::Status Load(size_t file) {
    // A file of level 0 must come from a single flush.
    const bool in_pieces = rows_.files[file].level > 0;
    const auto added = [&]() -> absl::Status {
      progress_->Update(++entries_);
      if (batch_.GetDataSize() < kBatchBytes) return absl::OkStatus();
      RETURN_IF_ERROR(WriteBatch());
      if (!in_pieces || unflushed_bytes_ < kPieceBytes) return absl::OkStatus();
      return Flush();
    };
    RETURN_IF_ERROR(rows_.read(file, &batch_, added));
    return Flush();
  }

 private:
  absl::Status WriteBatch() {
    if (batch_.Count() == 0) return absl::OkStatus();
    RETURN_IF_ERROR(CheckInterrupt());
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    unflushed_bytes_ += batch_.GetDataSize();
    absl::Status status = FromRocksDb(db_->Write(options, &batch_), what_);
    batch_.Clear();
    return status;
  }

  absl::Status Flush() {
    RETURN_IF_ERROR(WriteBatch());
    if (std::exchange(unflushed_bytes_, 0) == 0) return absl::OkStatus();
    return FromRocksDb(db_->Flush(rocksdb::FlushOptions()), what_);
  }

  const RowSource& rows_;
  rocksdb::DB* db_;
  const std::string what_;
  Progress* progress_;
  rocksdb::WriteBatch batch_;
  uint64_t entries_ = 0;  // of all files
  uint64_t unflushed_bytes_ = 0;
};

// Compacts everything in level 0 into one file of level `planned.level`.
absl::Status MoveDown(rocksdb::DB* db, const FileToWrite& planned,
                      const std::string& path) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  std::vector<std::string> pieces;
  for (const rocksdb::LiveFileMetaData& file : live) {
    if (file.level == 0) pieces.push_back(file.name);
  }
  if (pieces.empty()) return absl::OkStatus();
  rocksdb::CompactionOptions options;  // no limit on the file size
  options.compression = planned.compression;
  return FromRocksDb(db->CompactFiles(options, pieces, planned.level),
                     absl::StrCat("cannot write to '", path, "'"));
}

using Clock = std::chrono::steady_clock;

LookupTimes TimesOf(std::vector<uint32_t> nanoseconds) {
  std::ranges::sort(nanoseconds);
  const double all = nanoseconds.size();
  const double sum =
      std::accumulate(nanoseconds.begin(), nanoseconds.end(), 0.0);
  return {sum / all / 1000,
          nanoseconds[static_cast<size_t>(0.99 * (all - 1))] / 1000.0};
}

}  // namespace

absl::Status BuildDatabase(const RowSource& rows, const FilterPolicyPtr& policy,
                           const CacheOptions& cache, const std::string& path,
                           Progress* progress) {
  std::unique_ptr<rocksdb::DB> db;
  RETURN_IF_ERROR(FromRocksDb(
      rocksdb::DB::Open(BuildOptions(rows, policy, cache), path, OutPtr(&db)),
      absl::StrCat("cannot make a database in '", path, "'")));

  Loader loader(rows, db.get(), path, progress);
  for (size_t i = 0; i < rows.files.size(); ++i) {
    RETURN_IF_ERROR(loader.Load(i));
    if (rows.files[i].level > 0) {
      RETURN_IF_ERROR(MoveDown(db.get(), rows.files[i], path));
    }
  }
  return FromRocksDb(db->Close(), absl::StrCat("cannot close '", path, "'"));
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForMeasuring(
    const RowSource& rows, const FilterPolicyPtr& policy,
    const CacheOptions& cache, const std::string& path, bool* direct_io) {
  rocksdb::Options options = BaseOptions(rows, policy, cache);
  options.use_direct_reads = *direct_io;
  options.statistics = rocksdb::CreateDBStatistics();
  // If all rows are in one level, the overload without column families takes
  // another path through RocksDB.
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(
      options, path, {{rocksdb::kDefaultColumnFamilyName, options}}, &handles,
      OutPtr(&db));
  // File systems without O_DIRECT fail to open or to read the files.
  if (!status.ok() && std::exchange(*direct_io, false)) {
    return OpenForMeasuring(rows, policy, cache, path, direct_io);
  }
  RETURN_IF_ERROR(
      FromRocksDb(status, absl::StrCat("cannot open '", path, "'")));
  // The database itself keeps the default column family open.
  (void)db->DestroyColumnFamilyHandle(handles.front());
  return db;
}

absl::Status MeasureRound(rocksdb::DB* db, const Keys& lookups, uint64_t begin,
                          uint64_t end, Progress* progress,
                          Measurement* measured) {
  // Filters and indexes are in memory since the database was opened. Rejected:
  // warming up with some of the lookups. Times came out the same, but those
  // blocks were then in the block cache: of 200 lookups that hid three quarters
  // of a Bloom filter's reads.
  std::vector<uint32_t> nanoseconds;
  const auto statistics = db->GetDBOptions().statistics;
  RETURN_IF_ERROR(FromRocksDb(statistics->Reset(), "statistics"));
  rocksdb::PerfContext* const perf = rocksdb::get_perf_context();
  perf->Reset();
  rocksdb::PinnableSlice value;
  for (uint64_t i = begin; i < end; ++i) {
    RETURN_IF_ERROR(CheckInterrupt());
    const std::string key = lookups.at(i);
    const Clock::time_point start = Clock::now();
    const rocksdb::Status status =
        db->Get({}, db->DefaultColumnFamily(), key, &value);
    const std::chrono::nanoseconds taken = Clock::now() - start;
    nanoseconds.push_back(static_cast<uint32_t>(std::min<int64_t>(
        taken.count(), std::numeric_limits<uint32_t>::max())));
    value.Reset();
    measured->found += status.ok() ? 1 : 0;
    if (!status.ok() && !status.IsNotFound()) {
      return FromRocksDb(
          status, absl::StrCat("cannot look up '", absl::CEscape(key), "'"));
    }
    if (i % 16 == 0) progress->Update(i - begin);
  }
  measured->lookups += end - begin;
  measured->index_block_reads += perf->index_block_read_count;
  measured->filter_block_reads += perf->filter_block_read_count;
  measured->data_block_reads +=
      perf->block_read_count - perf->index_block_read_count -
      perf->filter_block_read_count - perf->compression_dict_block_read_count;
  measured->block_bytes += perf->block_read_byte;
  std::map<std::string, uint64_t> tickers;
  statistics->getTickerMap(&tickers);
  measured->answers += FilterStatsOf(tickers);
  measured->rounds.push_back(TimesOf(std::move(nanoseconds)));
  return absl::OkStatus();
}

}  // namespace linebloom::tools
