#include "tools/compare/comparison.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/bits/cache_load.h"
#include "filter_policy/bits/rocksdb_cache.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "table/status.h"
#include "tools/database/caches.h"
#include "tools/database/policies.h"

namespace linebloom::tools {
namespace {

namespace fs = std::filesystem;

// Makes the folder `path`, which must not exist (its parent must); for "" one
// in the current folder.
absl::StatusOr<fs::path> MakeScratchFolder(std::string path) {
  if (path.empty()) path = absl::StrCat("linebloom_compare.", getpid());
  std::error_code error;
  if (!fs::create_directory(path, error) && !error) {
    error = std::make_error_code(std::errc::file_exists);
  }
  if (!error) return fs::absolute(path);
  return absl::InvalidArgumentError(
      absl::StrCat("cannot make folder '", path, "': ", error.message()));
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
  mix.seed = Mix(mix.seed);
  for (int i = 0; i < kMaxBatches; ++i) {
    Measurement ignored;
    RETURN_IF_ERROR(MeasureRound(db, mix, i * batch, (i + 1) * batch,
                                 kEnoughReads, progress, &ignored));
    const double before = std::exchange(used, cache.GetUsage());
    if (before > kFull * bytes || used - before < kAdded * bytes) break;
  }
  return FromRocksDb(db.db()->GetDBOptions().statistics->Reset(), "statistics");
}

// The copies of all policies, as many as are needed at a time.
class Measuring {
 public:
  // All must outlive this. Completes the results.
  Measuring(const fs::path& folder, Progress* progress, Comparison* comparison)
      : folder_(folder),
        progress_(*progress),
        comparison_(*comparison),
        results_(comparison->results),
        copies_(results_.size()) {}

  // Looks up keys in rounds of all results, so that other load affects them
  // alike; with a single round one after another, which takes less space.
  absl::Status Run() {
    const uint64_t rounds = comparison_.config.rounds;
    const size_t together = rounds > 1 ? results_.size() : 1;
    for (size_t begin = 0; begin < results_.size(); begin += together) {
      const size_t end = begin + together;
      for (size_t i = begin; i < end; ++i) RETURN_IF_ERROR(Prepare(i));
      for (uint64_t round = 0; round < rounds; ++round) {
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
    const Source& source = comparison_.source;
    if (i > 0 && result.copy == results_[i - 1].copy) {
      result.files = results_[i - 1].files;
    } else {
      ASSIGN_OR_RETURN(result.files,
                       BuildCopy(source, result.setup, PathOf(i),
                                 StepOf("building", i), &progress_));
    }
    ASSIGN_OR_RETURN(auto opened, OpenCopy(source, result.setup, PathOf(i),
                                           &comparison_.direct_io));
    copies_[i].emplace(std::move(opened));
    const uint64_t lookups = comparison_.config.lookups;
    if (!result.setup.cache.holds_metadata) return absl::OkStatus();
    progress_.Begin(StepOf("filling the cache", i), lookups);
    return Settle(*copies_[i], lookups, source.mix, &progress_);
  }

  absl::Status Look(size_t i, uint64_t round) {
    const uint64_t lookups = comparison_.config.lookups;
    const uint64_t rounds = comparison_.config.rounds;
    const uint64_t begin = lookups * round / rounds;
    const uint64_t end = lookups * (round + 1) / rounds;
    if (begin == end) return absl::OkStatus();
    progress_.Begin(
        StepOf(absl::StrCat("lookups, round ", round + 1, " of ", rounds), i),
        end - begin);
    return MeasureRound(*copies_[i], comparison_.source.mix, begin, end,
                        kEnoughReads / rounds, &progress_,
                        &results_[i].measured);
  }

  void Close(size_t i) {
    copies_[i].reset();
    if (i + 1 < results_.size() && results_[i + 1].copy == results_[i].copy) {
      return;  // it is needed again
    }
    std::error_code ignored;
    fs::remove_all(PathOf(i), ignored);
  }

  std::string StepOf(const std::string& step, size_t i) const {
    return absl::StrCat(i + 1, " of ", results_.size(), ", ",
                        ShortPolicyName(results_[i].policy), ": ", step);
  }

  const fs::path& folder_;
  Progress& progress_;
  Comparison& comparison_;
  std::vector<Result>& results_;
  std::vector<std::optional<ReadOnlyDatabase>> copies_;  // while in use
};

// For each size of the cache what shares it, as advise has it.
absl::StatusOr<std::vector<CacheLoad>> LoadsOf(const CompareConfig& config,
                                               const DatabaseFacts& facts) {
  std::set<uint64_t> sizes = config.memory;
  // Small, so that reads go to the device: a live database's cache is full of
  // more useful blocks.
  if (sizes.empty()) sizes = {kSmallestCache};
  SaidLoad said = {.memory = *sizes.begin(), .hit_ratio = config.hit_ratio};
  ASSIGN_OR_RETURN(DatabaseCaches read, ReadCaches(facts, said));
  for (const absl::Status& error : read.findings.unreadable) return error;
  CacheFacts& shared = read.caches.front();
  std::vector<CacheLoad> loads;
  for (const uint64_t size : sizes) {
    said.memory = size;
    SetCache(facts, said, &shared);
    CacheLoad load = shared.load;
    if (load.hits.least < load.hits.most) load.hits = {0, 0};  // not known
    if (config.database.empty() || config.memory.empty()) load.cache.shards = 1;
    load.cache.holds_metadata = !config.memory.empty();
    load.cache.partitioned = load.cache.partitioned || config.partitioned;
    loads.push_back(std::move(load));
  }
  return loads;
}

// All policies with all caches.
std::vector<Result> Plan(const std::vector<std::string>& names,
                         const std::vector<FilterPolicyPtr>& policies,
                         const std::vector<CacheLoad>& loads) {
  std::vector<Result> results;
  size_t copy = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    ++copy;
    const FilterPolicyPtr& policy = policies[i];
    const auto* const own = OptionsOfLinebloom(policy.get());
    for (const CacheLoad& load : loads) {
      Result result = {names[i], {policy, load.cache}, copy};
      if (own != nullptr && IsAuto(*own)) {
        CacheLoad with = load;
        for (read_model::Tree& tree : with.trees) {
          tree = TreeWith(policy.get(), std::move(tree));
        }
        result.chosen = BitsFor(with);
        FilterPolicyOptions options = *own;
        options.bits_per_key = result.chosen->average_bits;
        options.level_aware = true;
        result.setup.policy.reset(NewFilterPolicy(options));
        result.copy = copy++;
      }
      results.push_back(std::move(result));
    }
  }
  return results;
}

}  // namespace

absl::StatusOr<Comparison> Compare(const CompareConfig& flags) {
  Comparison comparison;
  CompareConfig& config = comparison.config = flags;
  // Several rounds would need all caches in memory together.
  if (!config.memory.empty()) config.rounds = 1;
  std::vector<FilterPolicyPtr> policies;
  ASSIGN_OR_RETURN(const auto names, SplitPolicies(config.policies));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(policies.emplace_back(), MakePolicy(name));
  }
  ASSIGN_OR_RETURN(const fs::path scratch,
                   MakeScratchFolder(config.scratch_dir));
  const absl::Cleanup remove = [&scratch] {
    std::error_code ignored;  // nobody to report it to
    fs::remove_all(scratch, ignored);
  };
  Progress progress;
  const size_t copies = config.rounds > 1 ? policies.size() : 1;
  ASSIGN_OR_RETURN(comparison.source,
                   MakeSource(config, scratch, copies, &progress));
  ASSIGN_OR_RETURN(const auto loads, LoadsOf(config, comparison.source.facts));
  comparison.source.mix.hit_ratio = loads.front().hits.most;
  comparison.results = Plan(names, policies, loads);
  RETURN_IF_ERROR(Measuring(scratch, &progress, &comparison).Run());
  return comparison;
}

}  // namespace linebloom::tools
