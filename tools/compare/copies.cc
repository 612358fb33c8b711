#include "tools/compare/copies.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/level_size_listener.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/cache.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "table/status.h"
#include "tools/database/out_ptr.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

namespace fs = std::filesystem;

// The files that a copy needs: RocksDB never changes an SSTable or a blob file,
// so that links do; but it does append to a manifest.
absl::Status LinkFiles(const DatabaseFacts& facts, const fs::path& to) {
  std::error_code error;
  fs::create_directory(to, error);
  std::set<fs::path> paths;
  for (const LiveFile& file : facts.files) paths.insert(file.path);
  for (const auto& entry : fs::directory_iterator(facts.folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "CURRENT" || absl::StartsWith(name, "MANIFEST-") ||
        absl::EndsWith(name, ".blob")) {
      paths.insert(entry.path());
    }
  }
  for (const fs::path& path : paths) {
    RETURN_IF_ERROR(CheckInterrupt());
    const fs::path copy = to / path.filename();
    const bool stays = path.has_extension();
    if (stays) fs::create_hard_link(path, copy, error);
    // In another file system there are no links.
    if (!stays || error) fs::copy_file(path, copy, error);
    if (!error) continue;
    return absl::UnknownError(absl::StrCat("cannot copy '", path.string(),
                                           "' to '", to.string(),
                                           "': ", error.message()));
  }
  return absl::OkStatus();
}

StoredOptions OptionsFor(const Source& source, const Setup& setup) {
  StoredOptions options;
  const auto shard_bits = static_cast<int>(std::log2(setup.cache.shards));
  const auto cache = rocksdb::NewLRUCache(
      static_cast<size_t>(setup.cache.capacity), shard_bits,
      /*strict_capacity_limit=*/false, setup.cache.high_priority_share);
  for (rocksdb::ColumnFamilyDescriptor family : source.families) {
    rocksdb::BlockBasedTableOptions table = *TableOptionsOf(family.options);
    table.filter_policy = setup.policy;
    table.no_block_cache = false;
    table.block_cache = cache;
    // Sizes are compared, so they must be as requested.
    table.optimize_filters_for_memory = false;
    table.cache_index_and_filter_blocks = setup.cache.holds_metadata;
    if (setup.cache.partitioned) {
      table.partition_filters = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    }
    family.options.table_factory.reset(
        rocksdb::NewBlockBasedTableFactory(table));
    options.families.push_back(family);
  }
  options.db.info_log = std::make_shared<QuietLogger>();
  options.db.max_open_files = -1;
  // Keeps RocksDB from reading and writing on its own.
  options.db.stats_dump_period_sec = 0;
  options.db.stats_persist_period_sec = 0;
  return options;
}

// A copy that is being built.
class Builder {
 public:
  Builder(const Source& source, const Setup& setup, std::string path,
          Progress* progress)
      : options_(OptionsFor(source, setup)),
        path_(std::move(path)),
        progress_(progress) {
    options_.db.listeners = {NewLevelSizeListener()};
    // Report a full disk instead of waiting for space.
    options_.db.max_bgerror_resume_count = 0;
    for (rocksdb::ColumnFamilyDescriptor& family : options_.families) {
      family.options.disable_auto_compactions = true;
      family.options.write_buffer_size = 64 << 10;  // needs no space
      family.options.optimize_filters_for_hits = false;
      // Or a file is cut where it overlaps much of the next level.
      family.options.max_compaction_bytes = uint64_t{1} << 60;
    }
  }

  absl::StatusOr<CopiedFiles> Build(const std::string& step) {
    RETURN_IF_ERROR(Explained(rocksdb::DB::Open(
        options_.db, path_, options_.families, &families_, OutPtr(&db_))));
    const absl::Cleanup close = [this] {
      for (auto* family : families_) {
        (void)db_->DestroyColumnFamilyHandle(family);
      }
    };
    ASSIGN_OR_RETURN(const CopiedFiles before, ListFiles());
    RETURN_IF_ERROR(Rewrite(step));
    ASSIGN_OR_RETURN(CopiedFiles after, ListFiles());
    after.are_as_before = after.shape == before.shape;
    return after;
  }

 private:
  absl::Status Explained(const rocksdb::Status& status) const {
    return FromRocksDb(status, absl::StrCat("cannot write to '", path_, "'"));
  }

  absl::StatusOr<CopiedFiles> ListFiles() {
    rocksdb::TablePropertiesCollection all;
    for (auto* family : families_) {
      rocksdb::TablePropertiesCollection more;
      RETURN_IF_ERROR(Explained(db_->GetPropertiesOfAllTables(family, &more)));
      all.merge(more);
    }
    CopiedFiles files;
    std::vector<rocksdb::LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    for (const rocksdb::LiveFileMetaData& file : live) {
      FileRebuild& named = live_.emplace_back();
      named.path = file.db_path + file.name;
      named.bytes = file.size;
      const auto has = all[named.path];
      if (has == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(
            "DATABASE: ", file.relative_filename, " has no properties"));
      }
      files.shape.push_back(
          absl::StrCat(file.column_family_name, "/", file.level, ": ",
                       file.smallestkey, " to ", file.largestkey, ", ",
                       has->num_entries, ", ", has->num_deletions));
      files.entries += has->num_entries;
      files.filter_bytes += has->filter_size;
      files.index_bytes += has->index_size;
    }
    std::ranges::sort(files.shape);
    return files;
  }

  absl::Status Rewrite(const std::string& step) {
    RebuildFiltersOptions all;
    all.column_families = families_;
    all.check_data_blocks = false;
    all.files = std::move(live_);
    RebuildFiltersReport report;
    const rocksdb::Status status = RebuildFilters(
        db_.get(), all,
        [&](const RebuildFiltersProgress& done) {
          if (done.files_done == 0) progress_->Begin(step, done.bytes);
          progress_->Update(done.bytes_done);
          return !Interrupted();
        },
        &report);
    RETURN_IF_ERROR(CheckInterrupt());
    RETURN_IF_ERROR(Explained(status));
    for (const FileRebuild& file : report.files) {
      if (file.outcome == RebuildOutcome::kRewritten) continue;
      return absl::UnknownError(
          absl::StrCat("cannot rewrite '", file.path, "': ", file.message));
    }
    return absl::OkStatus();
  }

  StoredOptions options_;
  const std::string path_;
  Progress* const progress_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  std::vector<FileRebuild> live_;
};

// `times`, not empty, are in microseconds.
void AddRound(std::vector<double> times, Measurement* measured) {
  std::ranges::sort(times);
  measured->lookups += times.size();
  measured->mean_us.push_back(std::accumulate(times.begin(), times.end(), 0.0) /
                              times.size());
  measured->p99_us.push_back(
      times[static_cast<size_t>(0.99 * (times.size() - 1))]);
}

}  // namespace

absl::StatusOr<CopiedFiles> BuildCopy(const Source& source, const Setup& setup,
                                      const std::string& path,
                                      const std::string& step,
                                      Progress* progress) {
  RETURN_IF_ERROR(LinkFiles(source.facts, path));
  // Without a policy, nothing is rewritten; OpenCopy() reads no filter then.
  Setup built = setup;
  if (built.policy == nullptr) {
    built.policy.reset(rocksdb::NewBloomFilterPolicy(10));
  }
  ASSIGN_OR_RETURN(CopiedFiles files,
                   Builder(source, built, path, progress).Build(step));
  if (setup.policy == nullptr) files.filter_bytes = 0;
  return files;
}

absl::StatusOr<ReadOnlyDatabase> OpenCopy(const Source& source,
                                          const Setup& setup,
                                          const std::string& path,
                                          bool* direct_io) {
  StoredOptions options = OptionsFor(source, setup);
  options.db.use_direct_reads = *direct_io;
  options.db.statistics = rocksdb::CreateDBStatistics();
  auto db = ReadOnlyDatabase::Open(path, options, Logs::kRead);
  // File systems without O_DIRECT fail to open or to read the files.
  if (!db.ok() && std::exchange(*direct_io, false)) {
    return OpenCopy(source, setup, path, direct_io);
  }
  return db;
}

absl::Status MeasureRound(const ReadOnlyDatabase& db, const LookupMix& mix,
                          uint64_t begin, uint64_t end, uint64_t max_reads,
                          Progress* progress, Measurement* measured) {
  // Filters and indexes are in memory since the database was opened. Rejected:
  // warming up with some of the lookups. Times came out the same, but those
  // blocks were then in the block cache: of 200 lookups that hid three quarters
  // of a Bloom filter's reads.
  std::vector<double> times;
  rocksdb::PerfContext* const perf = rocksdb::get_perf_context();
  perf->Reset();
  rocksdb::PinnableSlice value;
  for (uint64_t i = begin; i < end && perf->block_read_count < max_reads; ++i) {
    RETURN_IF_ERROR(CheckInterrupt());
    const Key key = LookupAt(mix, i);
    const auto start = std::chrono::steady_clock::now();
    const rocksdb::Status status =
        db.db()->Get({}, db.families()[key.family], key.text, &value);
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    times.push_back(taken.count());
    value.Reset();
    measured->found += status.ok() ? 1 : 0;
    measured->lost += key.exists && !status.ok() ? 1 : 0;
    if (!status.ok() && !status.IsNotFound()) {
      return FromRocksDb(status, absl::StrCat("cannot look up '",
                                              absl::CEscape(key.text), "'"));
    }
    if (i % 16 == 0) progress->Update(i - begin);
  }
  measured->index_block_reads += perf->index_block_read_count;
  measured->filter_block_reads += perf->filter_block_read_count;
  measured->data_block_reads +=
      perf->block_read_count - perf->index_block_read_count -
      perf->filter_block_read_count - perf->compression_dict_block_read_count;
  std::map<std::string, uint64_t> tickers;
  db.db()->GetDBOptions().statistics->getTickerMap(&tickers);
  measured->answers = FilterStatsOf(tickers);
  AddRound(std::move(times), measured);
  return absl::OkStatus();
}

}  // namespace linebloom::tools
