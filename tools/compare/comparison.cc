#include "tools/compare/comparison.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "filter_policy/bits/rocksdb_cache.h"
#include "filter_policy/policy/policy_options.h"
#include "rocksdb/db.h"
#include "rocksdb/table.h"
#include "table/status.h"
#include "tools/compare/keys.h"
#include "tools/report/flags.h"

namespace linebloom::tools {
namespace {

namespace fs = std::filesystem;

// The destructor removes the folder.
struct ScratchFolder {
  explicit ScratchFolder(fs::path made) : path(std::move(made)) {}
  ~ScratchFolder() {
    std::error_code ignored;  // nobody to report it to
    fs::remove_all(path, ignored);
  }

  fs::path path;  // absolute
};

// Makes the folder `path`, which must not exist (its parent must); for "" a new
// one in the current folder.
absl::StatusOr<std::unique_ptr<ScratchFolder>> MakeScratchFolder(
    const std::string& path) {
  std::error_code error;
  std::string made = path.empty() ? "linebloom_compare.XXXXXX" : path;
  if (path.empty()) {
    if (mkdtemp(made.data()) == nullptr) {
      error.assign(errno, std::generic_category());
    }
  } else if (!fs::create_directory(path, error) && !error) {
    error = std::make_error_code(std::errc::file_exists);
  }
  if (!error) return std::make_unique<ScratchFolder>(fs::absolute(made, error));
  return absl::InvalidArgumentError(
      absl::StrCat("cannot make folder '", made, "': ", error.message()));
}

// Until the cache is full, from where on it holds what was asked for last, or
// nothing that matters is added.
absl::Status Settle(rocksdb::DB* db, const CompareConfig& config,
                    const CacheOptions& cache, LookupMix mix,
                    Progress* progress) {
  constexpr double kFull = 0.97;
  constexpr double kAdded = 0.002;
  constexpr int kMaxBatches = 40;
  const uint64_t batch = std::max<uint64_t>(1, config.lookups / 8);
  const auto& block_cache = *TableOptionsOf(db->GetOptions())->block_cache;
  double used = 0;
  mix.seed = Mix(mix.seed, 6);
  for (int i = 0; i < kMaxBatches; ++i) {
    mix.seed = Mix(mix.seed);
    Measurement ignored;
    RETURN_IF_ERROR(MeasureRound(db, RepeatedLookups(mix, batch).keys, 0, batch,
                                 progress, &ignored));
    const double before = std::exchange(used, block_cache.GetUsage());
    if (before > kFull * cache.bytes || used - before < kAdded * cache.bytes) {
      break;
    }
  }
  return absl::OkStatus();
}

// What the files of `db` have, for `result`. InvalidArgument if the cache can't
// hold a filter or an index.
absl::Status ReadFiles(rocksdb::DB* db, const CompareConfig& config,
                       Result* result) {
  rocksdb::TablePropertiesCollection files;
  RETURN_IF_ERROR(FromRocksDb(db->GetPropertiesOfAllTables(&files),
                              "cannot read a file's properties"));
  uint64_t largest = 0;
  for (const auto& [path, file] : files) {
    result->entries += file->num_entries;
    result->filter_bytes += file->filter_size;
    result->index_bytes += file->index_size;
    largest = std::max({largest, file->filter_size, file->index_size});
  }
  result->shape = ReadShape(db);
  const uint64_t bytes = result->cache.bytes;
  if (!config.caches_filters() || config.partitioned || largest < bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "--memory=%s: a filter or an index of %s takes %s bytes, and the cache "
      "has %s; it takes --memory=%s or --partitioned",
      config.memory, result->policy.name, WithThousands(largest),
      WithThousands(bytes), NumberText(2 * largest, Unit::kBytes)));
}

// The databases of the policies, all that are needed at a time.
class Measuring {
 public:
  // All must outlive this. Completes the `results`.
  Measuring(const CompareConfig& config, const Workload& workload,
            const fs::path& folder, std::vector<Result>* results)
      : config_(config),
        workload_(workload),
        folder_(folder),
        results_(*results),
        databases_(results->size()) {}

  // Looks up keys in rounds of all results, so that other load affects them
  // alike; with a single round one after another, which takes less space.
  absl::Status Run() {
    const size_t together = config_.rounds > 1 ? results_.size() : 1;
    for (size_t begin = 0; begin < results_.size(); begin += together) {
      const size_t end = begin + together;
      for (size_t i = begin; i < end; ++i) RETURN_IF_ERROR(Prepare(i));
      for (uint64_t round = 0; round < config_.rounds; ++round) {
        for (size_t i = begin; i < end; ++i) RETURN_IF_ERROR(Look(i, round));
      }
      for (size_t i = begin; i < end; ++i) Close(i);
    }
    return absl::OkStatus();
  }

  bool direct_io() const { return direct_io_; }

 private:
  fs::path FolderOf(size_t i) const {
    return folder_ / absl::StrCat("policy", results_[i].database);
  }

  absl::Status Prepare(size_t i) {
    Result& result = results_[i];
    const FilterPolicyPtr& policy = result.policy.policy;
    const std::string path = FolderOf(i).string();
    if (i == 0 || result.database != results_[i - 1].database) {
      const auto start = std::chrono::steady_clock::now();
      BeginStep("building", i, workload_.rows.TotalEntries());
      RETURN_IF_ERROR(BuildDatabase(workload_.rows, policy, result.cache, path,
                                    &progress_));
      const std::chrono::duration<double> took =
          std::chrono::steady_clock::now() - start;
      result.build_seconds = took.count();
    }
    ASSIGN_OR_RETURN(databases_[i],
                     OpenForMeasuring(workload_.rows, policy, result.cache,
                                      path, &direct_io_));
    RETURN_IF_ERROR(ReadFiles(databases_[i].get(), config_, &result));
    if (!config_.caches_filters()) return absl::OkStatus();
    BeginStep("filling the cache", i, config_.lookups);
    return Settle(databases_[i].get(), config_, result.cache, workload_.mix,
                  &progress_);
  }

  absl::Status Look(size_t i, uint64_t round) {
    const uint64_t all = workload_.lookups.keys.size;
    const uint64_t begin = all * round / config_.rounds;
    const uint64_t end = all * (round + 1) / config_.rounds;
    if (begin == end) return absl::OkStatus();
    BeginStep(config_.rounds == 1 ? "lookups"
                                  : absl::StrCat("lookups, round ", round + 1,
                                                 " of ", config_.rounds),
              i, end - begin);
    return MeasureRound(databases_[i].get(), workload_.lookups.keys, begin, end,
                        &progress_, &results_[i].measured);
  }

  void Close(size_t i) {
    databases_[i].reset();
    std::error_code ignored;
    const bool is_needed = i + 1 < results_.size() &&
                           results_[i + 1].database == results_[i].database;
    if (!is_needed) fs::remove_all(FolderOf(i), ignored);
  }

  void BeginStep(const std::string& step, size_t i, uint64_t total) {
    progress_.Begin(
        absl::StrCat(i + 1, " of ", results_.size(), ", ",
                     ShortPolicyName(results_[i].policy.name), ": ", step),
        total);
  }

  const CompareConfig& config_;
  const Workload& workload_;
  const fs::path& folder_;
  bool direct_io_ = true;  // until the file system refuses it
  std::vector<Result>& results_;
  std::vector<std::unique_ptr<rocksdb::DB>> databases_;  // while in use
  Progress progress_;
};

// The least block cache to try, in bytes: less has no room for some data blocks
// and partitions.
constexpr uint64_t kMinMemory = 64 << 10;

// The sizes in a list such as "1MB,2MB,4MB", in bytes. InvalidArgument unless
// they rise, from 64 KiB up to 1 TiB.
absl::StatusOr<std::vector<uint64_t>> ParseMemory(absl::string_view list) {
  std::vector<uint64_t> sizes;
  for (const absl::string_view part : absl::StrSplit(list, ',')) {
    constexpr uint64_t kMaxMemory = uint64_t{1} << 40;
    uint64_t size = 0;
    if (!ParseNumber(std::string(part), &size) || size < kMinMemory ||
        size > kMaxMemory) {
      return absl::InvalidArgumentError(
          absl::StrCat("--memory='", list, "': '", part, "' must be ",
                       RangeText(kMinMemory, kMaxMemory, Unit::kBytes),
                       Example(Unit::kBytes)));
    }
    if (!sizes.empty() && size <= sizes.back()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--memory='", list, "': sizes must rise, such as 1MB,2MB,4MB"));
    }
    sizes.push_back(size);
  }
  return sizes;
}

// All policies with all caches, so that a mistake in the last one shows first.
absl::StatusOr<std::vector<Result>> Plan(const CompareConfig& config) {
  // Small, so that reads go to the device: a live database's cache is full of
  // more useful blocks.
  std::vector<uint64_t> sizes = {64 << 10};
  if (config.caches_filters()) {
    ASSIGN_OR_RETURN(sizes, ParseMemory(config.memory));
  }
  std::vector<Result> results;
  size_t database = 0;
  ASSIGN_OR_RETURN(const auto names, SplitPolicies(config.policies));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const NamedPolicy policy, MakePolicy(name));
    const auto* const own = OptionsOfLinebloom(policy.policy.get());
    if (config.caches_filters() && own != nullptr && IsAuto(*own)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--policies: '", name,
          "' chooses its bits by the lookups of a live database, which a "
          "laid-out one hasn't had"));
    }
    ++database;
    for (const uint64_t size : sizes) {
      results.push_back({policy,
                         {size, config.caches_filters(), config.partitioned},
                         database});
    }
  }
  return results;
}

absl::Status CheckFreeSpace(const CompareConfig& config, const RowSource& rows,
                            size_t databases, const fs::path& folder) {
  std::error_code error;
  const uint64_t available = fs::space(folder, error).available;
  // Moving a file down keeps up to three copies; 11/10 covers filters and
  // rounding.
  const bool together = config.rounds > 1;
  const uint64_t needed = (together ? databases : 1) * rows.bytes * 11 / 10 +
                          2 * rows.largest_file_bytes + (4 << 20);
  // (An unknown space is -1.)
  if (available >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "not enough space in '%s': about %d MB are needed, %d MB are free%s",
      folder.string(), needed / 1'000'000, available / 1'000'000,
      together ? "; with --rounds=1 there is one database at a time" : ""));
}

}  // namespace

absl::StatusOr<Comparison> Compare(const CompareConfig& flags) {
  CompareConfig config = flags;
  // Several rounds would need all caches in memory together.
  if (config.caches_filters()) config.rounds = 1;
  Comparison comparison;
  ASSIGN_OR_RETURN(comparison.results, Plan(config));
  ASSIGN_OR_RETURN(const auto scratch, MakeScratchFolder(config.scratch_dir));
  ASSIGN_OR_RETURN(comparison.workload, MakeWorkload(config, scratch->path));
  const Workload& workload = comparison.workload;
  RETURN_IF_ERROR(CheckFreeSpace(config, workload.rows,
                                 comparison.results.back().database,
                                 scratch->path));
  Measuring measuring(config, workload, scratch->path, &comparison.results);
  RETURN_IF_ERROR(measuring.Run());
  comparison.direct_io = measuring.direct_io();
  return comparison;
}

}  // namespace linebloom::tools
