#include "tools/compare/database.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/levels/level_size_listener.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/cache.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"
#include "table/status.h"
#include "tools/compare/machine.h"
#include "tools/shared/databases.h"
#include "tools/shared/run_tool.h"

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
  table.block_cache = rocksdb::NewLRUCache(cache.bytes, cache.shard_bits);
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

std::shared_ptr<const TreeState> TreeOf(const RowSource& rows) {
  auto tree = std::make_shared<TreeState>();
  for (const FileToWrite& file : rows.files) {
    tree->Add(static_cast<double>(file.entries), file.level);
  }
  const auto& flushed = tree->level0_files;
  if (!flushed.empty()) tree->last_flush = SumOf(flushed) / flushed.size();
  // Without a level 0, flushed files are moved down.
  tree->in_order = flushed.empty();
  return tree;
}

// Tells linebloom's listener of the finished tree, in each thread that writes
// files.
class FinishedTree final : public rocksdb::EventListener {
 public:
  FinishedTree(std::shared_ptr<const TreeState> tree,
               std::shared_ptr<rocksdb::EventListener> listener)
      : tree_(std::move(tree)),
        listener_(std::move(listener)),
        api_(ApiOf(listener_.get())) {
    Announce();  // for CompactFiles() of the calling thread
  }
  ~FinishedTree() override { Forget(); }

  const char* Name() const override { return "linebloom_finished_tree"; }
  void OnFlushBegin(rocksdb::DB* /*db*/,
                    const rocksdb::FlushJobInfo& /*job*/) override {
    Announce();
  }
  void OnFlushCompleted(rocksdb::DB* /*db*/,
                        const rocksdb::FlushJobInfo& /*job*/) override {
    Forget();
  }

 private:
  void Announce() { api_->WriteIntoTree(tree_, tree_->Total()); }
  void Forget() { api_->WriteIntoTree(nullptr, 0); }

  const std::shared_ptr<const TreeState> tree_;
  const std::shared_ptr<rocksdb::EventListener> listener_;
  ListenerApi* const api_;
};

rocksdb::Options BuildOptions(const RowSource& rows,
                              const FilterPolicyPtr& policy,
                              const CacheOptions& cache) {
  rocksdb::Options options = BaseOptions(rows, policy, cache);
  // Only linebloom's level-aware policies use them.
  const auto listener = NewLevelSizeListener();
  options.listeners = {std::make_shared<FinishedTree>(TreeOf(rows), listener),
                       listener};
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

// Looks up all `keys` together; `found` counts those that are there.
absl::Status LookUp(rocksdb::DB* db, const std::vector<std::string>& keys,
                    uint64_t* found) {
  const size_t size = keys.size();
  std::vector<rocksdb::PinnableSlice> values(size);
  std::vector<rocksdb::Status> statuses(size);
  rocksdb::ColumnFamilyHandle* const family = db->DefaultColumnFamily();
  if (size == 1) {
    statuses[0] = db->Get({}, family, keys[0], values.data());
  } else {
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    db->MultiGet({}, family, size, slices.data(), values.data(),
                 statuses.data());
  }
  for (size_t i = 0; i < size; ++i) {
    *found += statuses[i].ok() ? 1 : 0;
    if (statuses[i].ok() || statuses[i].IsNotFound()) continue;
    return FromRocksDb(statuses[i], absl::StrCat("cannot look up '",
                                                 absl::CEscape(keys[i]), "'"));
  }
  return absl::OkStatus();
}

// Shared by all threads.
struct Job {
  rocksdb::DB* db;
  const Keys& lookups;
  Progress* progress;
  std::vector<uint32_t>* nanoseconds = nullptr;  // one per lookup
  std::mutex mutex = {};                         // of `counts`
  LookupCounts counts = {};
  std::atomic<uint64_t> done = 0;
  std::atomic<bool> failed = false;
};

// Does lookups [begin, end), counting with RocksDB's perf context, which
// belongs to the thread. The first one also shows progress.
absl::Status Work(Job* job, uint64_t begin, uint64_t end, bool is_first) {
  const CountByLevel counting;
  rocksdb::PerfContext* perf = rocksdb::get_perf_context();
  perf->Reset();  // including those of levels
  LookupCounts counts;
  std::vector<std::string> keys;
  for (uint64_t i = begin; i < end && !job->failed && !Interrupted();
       i += keys.size()) {
    const uint64_t together =
        job->lookups.together ? job->lookups.together(i) : 1;
    keys.clear();
    for (uint64_t j = i; j < std::min(i + together, end); ++j) {
      keys.push_back(job->lookups.at(j));
    }
    const Clock::time_point start = Clock::now();
    const absl::Status status = LookUp(job->db, keys, &counts.found);
    const auto taken = (Clock::now() - start) / keys.size();
    if (job->nanoseconds != nullptr) {
      std::fill_n(job->nanoseconds->begin() + static_cast<std::ptrdiff_t>(i),
                  keys.size(),
                  static_cast<uint32_t>(
                      std::min<int64_t>(std::chrono::nanoseconds(taken).count(),
                                        std::numeric_limits<uint32_t>::max())));
    }
    if (!status.ok()) job->failed = true;
    RETURN_IF_ERROR(status);
    const uint64_t done = job->done += keys.size();
    if (is_first && done % 16 < keys.size()) job->progress->Update(done);
  }
  counts.index_block_reads = perf->index_block_read_count;
  counts.filter_block_reads = perf->filter_block_read_count;
  counts.data_block_reads = perf->block_read_count - counts.index_block_reads -
                            counts.filter_block_reads -
                            perf->compression_dict_block_read_count;
  counts.filter_blocks_found = perf->block_cache_filter_hit_count;
  counts.block_bytes = perf->block_read_byte;
  counts.stats_by_level = GetFilterStats(*perf);
  const std::lock_guard<std::mutex> lock(job->mutex);
  job->counts.Add(counts);
  return absl::OkStatus();
}

// Does all lookups. Returns the first error; Cancelled after a signal.
absl::Status Run(Job* job, uint32_t threads) {
  std::vector<absl::Status> results(threads);
  const auto run = [&](uint32_t t) {
    const uint64_t size = job->lookups.size;
    results[t] =
        Work(job, size * t / threads, size * (t + 1) / threads, t == 0);
  };
  std::vector<std::thread> others;
  for (uint32_t t = 1; t < threads; ++t) others.emplace_back(run, t);
  run(0);
  for (std::thread& other : others) other.join();
  for (const absl::Status& result : results) RETURN_IF_ERROR(result);
  return CheckInterrupt();
}

}  // namespace

absl::Status BuildDatabase(const RowSource& rows, const FilterPolicyPtr& policy,
                           const CacheOptions& cache, const std::string& path,
                           Progress* progress) {
  rocksdb::DB* opened = nullptr;
  RETURN_IF_ERROR(FromRocksDb(
      rocksdb::DB::Open(BuildOptions(rows, policy, cache), path, &opened),
      absl::StrCat("cannot make a database in '", path, "'")));
  const std::unique_ptr<rocksdb::DB> db(opened);

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
    const CacheOptions& cache, const std::string& path, bool direct_io) {
  rocksdb::Options options = BaseOptions(rows, policy, cache);
  options.use_direct_reads = direct_io;
  options.statistics = rocksdb::CreateDBStatistics();
  // If all rows are in one level, the overload without column families takes
  // another path through RocksDB.
  rocksdb::DB* opened = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  RETURN_IF_ERROR(FromRocksDb(
      rocksdb::DB::OpenForReadOnly(
          options, path, {{rocksdb::kDefaultColumnFamilyName, options}},
          &handles, &opened),
      absl::StrCat("cannot open '", path, "'")));
  std::unique_ptr<rocksdb::DB> db(opened);
  // The database itself keeps the default column family open.
  (void)db->DestroyColumnFamilyHandle(handles.front());
  return db;
}

void LookupCounts::Add(const LookupCounts& more) {
  found += more.found;
  data_block_reads += more.data_block_reads;
  index_block_reads += more.index_block_reads;
  filter_block_reads += more.filter_block_reads;
  filter_blocks_found += more.filter_blocks_found;
  block_bytes += more.block_bytes;
  stats_by_level += more.stats_by_level;
}

Interval Measurement::reads_interval() const {
  const Interval reads = PoissonInterval(data_block_reads);
  return {reads.low / lookups, reads.high / lookups};
}

void Measurement::AddRound(std::vector<uint32_t> of_round, double seconds) {
  std::ranges::sort(of_round);
  const double all = of_round.size();
  const auto at_share = [&](double share) {
    return of_round[static_cast<size_t>(share * (all - 1))] / 1000.0;
  };
  rounds.push_back(
      {{"mean_us",
        std::accumulate(of_round.begin(), of_round.end(), 0.0) / all / 1000},
       {"p50_us", at_share(0.50)},
       {"p99_us", at_share(0.99)},
       {"lookups_per_second", all / seconds}});
  const auto middle = static_cast<std::ptrdiff_t>(nanoseconds.size());
  nanoseconds.insert(nanoseconds.end(), of_round.begin(), of_round.end());
  std::inplace_merge(nanoseconds.begin(), nanoseconds.begin() + middle,
                     nanoseconds.end());
}

Json Measurement::SlowerThan() const {
  Json points = Json::array();
  for (double left = nanoseconds.size(); left >= 1; left *= 0.95) {
    const size_t i = nanoseconds.size() - static_cast<size_t>(left);
    points.push_back({nanoseconds[i] / 1000.0, left / nanoseconds.size()});
  }
  return points;
}

Spread Measurement::OverRounds(const std::string& number) const {
  std::vector<double> values;
  for (const Json& round : rounds) values.push_back(round[number]);
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  const double median = (values[(values.size() - 1) / 2] + values[half]) / 2;
  return {values.front(), median, values.back()};
}

absl::Status MeasureRound(rocksdb::DB* db, const Keys& lookups,
                          uint32_t threads, Progress* progress,
                          Measurement* measured) {
  // Filters and indexes are in memory since the database was opened. Rejected:
  // warming up with some of the lookups. Times came out the same, but those
  // blocks were then in the block cache: of 200 lookups that hid three quarters
  // of a Bloom filter's reads.
  std::vector<uint32_t> nanoseconds(lookups.size);
  Job job = {db, lookups, progress, &nanoseconds};
  const auto statistics = db->GetDBOptions().statistics;
  const FilterStats answers_before = GetFilterStats(*statistics);
  const std::optional<uint64_t> device_before = DeviceBytesRead();
  const Clock::time_point start = Clock::now();
  RETURN_IF_ERROR(Run(&job, threads));
  const std::chrono::duration<double> seconds = Clock::now() - start;
  const std::optional<uint64_t> device_after = DeviceBytesRead();

  measured->Add(job.counts);
  measured->lookups += lookups.size;
  measured->answers += GetFilterStats(*statistics) - answers_before;
  if (device_before.has_value() && device_after.has_value()) {
    measured->device_bytes =
        measured->device_bytes.value_or(0) + *device_after - *device_before;
  }
  measured->AddRound(std::move(nanoseconds), seconds.count());
  return absl::OkStatus();
}

}  // namespace linebloom::tools
