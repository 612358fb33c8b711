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
#include "filter_policy/bits/auto_bits.h"
#include "filter_policy/bits/cache_load.h"
#include "filter_policy/bits/rocksdb_cache.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/table.h"
#include "table/status.h"
#include "tools/compare/keys.h"
#include "tools/database/caches.h"
#include "tools/database/policies.h"
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

// A result stands on no more blocks read than that: its 95 % interval is then
// 1.4 % to either side.
constexpr uint64_t kEnoughReads = 20'000;

// Until the cache is full, from where on it holds what was asked for last, or
// nothing that matters is added.
absl::Status Settle(const ReadOnlyDatabase& db, uint64_t lookups, LookupMix mix,
                    Progress* progress) {
  constexpr double kFull = 0.97;
  constexpr double kAdded = 0.002;
  constexpr int kMaxBatches = 40;
  const uint64_t batch = std::max<uint64_t>(1, lookups / 8);
  const auto& cache = *TableOptionsOf(db.db()->GetOptions())->block_cache;
  const double bytes = cache.GetCapacity();
  double used = 0;
  mix.seed = Mix(mix.seed, 6);
  for (int i = 0; i < kMaxBatches; ++i) {
    mix.seed = Mix(mix.seed);
    Measurement ignored;
    RETURN_IF_ERROR(MeasureRound(db, RepeatedLookups(mix, batch), 0, batch,
                                 kEnoughReads, progress, &ignored));
    const double before = std::exchange(used, cache.GetUsage());
    if (before > kFull * bytes || used - before < kAdded * bytes) break;
  }
  return absl::OkStatus();
}

absl::Status CheckBlocksFit(const CompareConfig& config, const Result& result) {
  const auto bytes = static_cast<uint64_t>(result.setup.cache.capacity);
  const uint64_t largest = result.files.largest_block;
  if (!config.caches_filters() || result.setup.cache.partitioned ||
      largest < bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "--memory=%s: a filter or an index of %s takes %s bytes, and the cache "
      "has %s; it takes --memory=%s or --partitioned",
      config.memory, result.policy, WithThousands(largest),
      WithThousands(bytes), NumberText(2 * largest, Unit::kBytes)));
}

// The copies of all policies, as many as are needed at a time.
class Measuring {
 public:
  // All must outlive this. Completes the `results`.
  Measuring(const CompareConfig& config, const Source& source,
            const Keys& lookups, const fs::path& folder, Progress* progress,
            Comparison* comparison)
      : config_(config),
        source_(source),
        lookups_(lookups),
        folder_(folder),
        progress_(*progress),
        direct_io_(comparison->direct_io),
        results_(comparison->results),
        copies_(results_.size()) {}

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

 private:
  std::string PathOf(size_t i) const {
    return (folder_ / absl::StrCat("copy", results_[i].copy)).string();
  }

  absl::Status Prepare(size_t i) {
    Result& result = results_[i];
    if (i == 0 || result.copy != results_[i - 1].copy) {
      const auto start = std::chrono::steady_clock::now();
      ASSIGN_OR_RETURN(result.files,
                       BuildCopy(source_, result.setup, PathOf(i),
                                 StepOf("building", i), &progress_));
      const std::chrono::duration<double> took =
          std::chrono::steady_clock::now() - start;
      result.build_seconds = took.count();
    } else {
      result.files = results_[i - 1].files;
    }
    RETURN_IF_ERROR(CheckBlocksFit(config_, result));
    ASSIGN_OR_RETURN(auto opened,
                     OpenCopy(source_, result.setup, PathOf(i), &direct_io_));
    copies_[i].emplace(std::move(opened));
    if (!config_.caches_filters()) return absl::OkStatus();
    progress_.Begin(StepOf("filling the cache", i), config_.lookups);
    return Settle(*copies_[i], config_.lookups, source_.mix, &progress_);
  }

  absl::Status Look(size_t i, uint64_t round) {
    const uint64_t begin = lookups_.size * round / config_.rounds;
    const uint64_t end = lookups_.size * (round + 1) / config_.rounds;
    if (begin == end) return absl::OkStatus();
    progress_.Begin(
        StepOf(config_.rounds == 1 ? "lookups"
                                   : absl::StrCat("lookups, round ", round + 1,
                                                  " of ", config_.rounds),
               i),
        end - begin);
    return MeasureRound(*copies_[i], lookups_, begin, end,
                        kEnoughReads / config_.rounds, &progress_,
                        &results_[i].measured);
  }

  void Close(size_t i) {
    copies_[i].reset();
    std::error_code ignored;
    const bool is_needed =
        i + 1 < results_.size() && results_[i + 1].copy == results_[i].copy;
    if (!is_needed) fs::remove_all(PathOf(i), ignored);
  }

  std::string StepOf(const std::string& step, size_t i) const {
    return absl::StrCat(i + 1, " of ", results_.size(), ", ",
                        ShortPolicyName(results_[i].policy), ": ", step);
  }

  const CompareConfig& config_;
  const Source& source_;
  const Keys& lookups_;
  const fs::path& folder_;
  Progress& progress_;
  bool& direct_io_;
  std::vector<Result>& results_;
  std::vector<std::optional<ReadOnlyDatabase>> copies_;  // while in use
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

absl::StatusOr<std::vector<NamedPolicy>> ParsePolicies(
    const std::string& list) {
  std::vector<NamedPolicy> policies;
  ASSIGN_OR_RETURN(const auto names, SplitPolicies(list));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(policies.emplace_back(), MakePolicy(name));
  }
  return policies;
}

bool ChoosesBits(const NamedPolicy& policy) {
  const auto* const own = OptionsOfLinebloom(policy.policy.get());
  return own != nullptr && IsAuto(*own);
}

// For each size of the cache what shares it, as advise has it.
absl::StatusOr<std::vector<CacheLoad>> LoadsOf(
    const CompareConfig& config, const DatabaseFacts& facts,
    const std::vector<uint64_t>& sizes) {
  std::vector<CacheLoad> loads;
  for (const uint64_t size : sizes) {
    SaidLoad said = {.memory = size, .hit_ratio = config.hit_ratio};
    if (config.database.empty() || !config.caches_filters()) said.shards = 1;
    ASSIGN_OR_RETURN(const DatabaseCaches read, ReadCaches(facts, said));
    for (const absl::Status& error : read.unreadable) return error;
    CacheLoad load = read.caches.front().load;
    if (load.hits.least < load.hits.most) load.hits = {0, 0};  // not known
    load.cache.holds_metadata = config.caches_filters();
    load.cache.partitioned = load.cache.partitioned || config.partitioned;
    for (read_model::Tree& tree : load.trees) tree.renews = true;
    loads.push_back(std::move(load));
  }
  return loads;
}

// All policies with all caches.
std::vector<Result> Plan(const std::vector<NamedPolicy>& policies,
                         const std::vector<CacheLoad>& loads) {
  std::vector<Result> results;
  size_t copy = 0;
  for (const NamedPolicy& policy : policies) {
    ++copy;
    for (const CacheLoad& load : loads) {
      Result result = {policy.name, {policy.policy, true, load.cache}, copy};
      if (ChoosesBits(policy)) {
        result.chosen = BitsFor(load);
        FilterPolicyOptions options = *OptionsOfLinebloom(policy.policy.get());
        options.bits_per_key = result.chosen->average_bits;
        options.level_aware = true;
        result.setup.policy.reset(NewFilterPolicy(options));
        result.setup.filters_last_run = result.chosen->filters_last_run;
        result.copy = copy++;
      }
      results.push_back(std::move(result));
    }
  }
  return results;
}

Keys LookupsOf(const CompareConfig& config, const LookupMix& mix,
               std::vector<std::string>* notes) {
  if (config.caches_filters()) return RepeatedLookups(mix, config.lookups);
  Keys lookups = DistinctLookups(mix, config.lookups);
  if (lookups.size < config.lookups) {
    notes->push_back(absl::StrCat(
        "There are keys for ", WithThousands(lookups.size), " lookups, not ",
        WithThousands(config.lookups), ": no key is looked up twice."));
  }
  return lookups;
}

}  // namespace

absl::StatusOr<Comparison> Compare(const CompareConfig& flags) {
  CompareConfig config = flags;
  // Several rounds would need all caches in memory together.
  if (config.caches_filters()) config.rounds = 1;
  // Without --memory small, so that reads go to the device: a live database's
  // cache is full of more useful blocks.
  std::vector<uint64_t> sizes = {kMinMemory};
  if (config.caches_filters()) {
    ASSIGN_OR_RETURN(sizes, ParseMemory(config.memory));
  }
  ASSIGN_OR_RETURN(const auto policies, ParsePolicies(config.policies));
  ASSIGN_OR_RETURN(const auto scratch, MakeScratchFolder(config.scratch_dir));
  Progress progress;
  const size_t copies = config.rounds > 1 ? policies.size() : 1;
  ASSIGN_OR_RETURN(Source source,
                   MakeSource(config, scratch->path, copies, &progress));
  ASSIGN_OR_RETURN(const auto loads, LoadsOf(config, source.facts, sizes));
  source.mix.hit_ratio = loads.front().hits.most;
  Comparison comparison = {.config = config,
                           .hit_ratio = source.mix.hit_ratio,
                           .families = source.families.size(),
                           .notes = source.notes,
                           .direct_io = true,  // until it is refused
                           .results = Plan(policies, loads)};
  const Keys lookups = LookupsOf(config, source.mix, &comparison.notes);
  comparison.lookups = lookups.size;
  RETURN_IF_ERROR(
      Measuring(config, source, lookups, scratch->path, &progress, &comparison)
          .Run());
  return comparison;
}

}  // namespace linebloom::tools
