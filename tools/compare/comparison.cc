#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rocksdb/db.h"
#include "table/expected_reads.h"
#include "table/file_facts.h"
#include "table/status.h"
#include "tools/compare/database.h"
#include "tools/compare/machine.h"
#include "tools/compare/report.h"
#include "tools/compare/workload.h"
#include "tools/shared/policies.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// Reads the filter blocks of `db`: how many bytes they have, and the rates that
// linebloom's state and RocksDB's determine.
void ReadFilters(rocksdb::DB* db, const Workload& workload,
                 PolicyResult* result) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  std::vector<FileRange> ranges;
  for (const rocksdb::LiveFileMetaData& file : live) {
    ranges.push_back(
        {file.smallestkey, file.largestkey, 1.0 * file.num_entries});
  }
  const std::vector<Stretch> places =
      PlacesOf(ranges, *db->DefaultColumnFamily()->GetComparator());
  for (size_t i = 0; i < live.size(); ++i) {
    const rocksdb::LiveFileMetaData& file = live[i];
    const auto facts = ReadFileFacts(absl::StrCat(file.db_path, file.name));
    const bool has_filter = facts.ok() && facts->is_used();
    const double share =
        workload.mix.skew.is_uniform()
            ? places[i].share()
            : LookupsBetween(workload.mix, *workload.rows.comparator,
                             file.smallestkey, file.largestkey);
    const auto level = static_cast<size_t>(file.level);
    if (result->levels.size() <= level) result->levels.resize(level + 1);
    for (LevelFilters* sum : {&result->levels[level], &result->all_levels}) {
      sum->bytes += has_filter ? facts->bytes : 0;
      sum->probes += share;
      sum->reads += has_filter ? share * facts->rate : 0;
      sum->all_have_filters &= has_filter;
    }
  }
}

class Comparison {
 public:
  // All must outlive this. Completes the `results`, which have their policies.
  // Without `direct_alignment` reads go through the page cache.
  Comparison(const CompareConfig& config, const Workload& workload,
             const std::filesystem::path& folder,
             std::optional<uint64_t> direct_alignment,
             std::vector<PolicyResult>* results)
      : config_(config),
        workload_(workload),
        folder_(folder),
        direct_alignment_(direct_alignment),
        results_(*results),
        databases_(results->size()) {}

  // Builds all databases, then looks up keys in rounds of all policies, so that
  // other load affects them alike; with a single round one database after
  // another, which takes less space. Removes each after its last use, unless
  // `keep` is set.
  absl::Status Run() {
    const size_t together = config_.rounds > 1 ? results_.size() : 1;
    for (size_t i = 0; i < results_.size(); i += together) {
      RETURN_IF_ERROR(RunSome(i, i + together));
    }
    return absl::OkStatus();
  }

 private:
  // Runs policies [begin, end).
  absl::Status RunSome(size_t begin, size_t end) {
    absl::Status status;
    for (size_t i = begin; i < end && status.ok(); ++i) {
      BeginStep("step 1 of 2, databases: ", i, workload_.rows.TotalEntries());
      status = Build(i);
    }
    for (uint64_t round = 0; round < config_.rounds; ++round) {
      for (size_t i = begin; i < end && status.ok(); ++i) {
        status = MeasureOne(round, i);
      }
    }
    for (size_t i = begin; i < end; ++i) {
      databases_[i].reset();
      std::error_code ignored;
      if (!config_.keep) std::filesystem::remove_all(FolderOf(i), ignored);
    }
    return status;
  }

  // Of the database, as long as it exists.
  std::filesystem::path FolderOf(size_t i) const {
    return folder_ / absl::StrCat("policy", i + 1);
  }

  absl::Status Build(size_t i) {
    PolicyResult& result = results_[i];
    const FilterPolicyPtr& policy = result.policy.policy;
    const auto start = std::chrono::steady_clock::now();
    RETURN_IF_ERROR(BuildDatabase(workload_.rows, policy, cache_,
                                  FolderOf(i).string(), &progress_));
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    result.build_seconds = took.count();
    ASSIGN_OR_RETURN(databases_[i],
                     OpenForMeasuring(workload_.rows, policy, cache_,
                                      FolderOf(i).string(), direct_io()));
    result.shape = ReadShape(databases_[i].get());
    ReadFilters(databases_[i].get(), workload_, &result);
    return absl::OkStatus();
  }

  absl::Status MeasureOne(uint64_t round, size_t i) {
    const uint64_t all = workload_.lookups.size();
    const Keys lookups = PartOf(workload_.lookups, all * round / config_.rounds,
                                all * (round + 1) / config_.rounds);
    BeginStep(config_.rounds == 1
                  ? "step 2 of 2, lookups: "
                  : absl::StrCat("step 2 of 2, lookups: round ", round + 1,
                                 " of ", config_.rounds, ", "),
              i, lookups.size);
    Measurement& m = results_[i].measured;
    if (lookups.size > 0) {
      RETURN_IF_ERROR(MeasureRound(databases_[i].get(), lookups,
                                   config_.threads, &progress_, &m));
    }
    results_[i].io_agreement =
        CompareIo(m.block_bytes, m.all_block_reads(),
                  direct_alignment_.value_or(kPageBytes), m.device_bytes);
    return absl::OkStatus();
  }

  void BeginStep(const std::string& step, size_t i, uint64_t total) {
    constexpr size_t kMaxName = 24;
    std::string name = results_[i].policy.name;
    if (name.size() > kMaxName) name = name.substr(0, kMaxName) + "...";
    progress_.Begin(absl::StrCat(step, "policy ", i + 1, " of ",
                                 results_.size(), " (", name, ")"),
                    total);
  }

  bool direct_io() const { return direct_alignment_.has_value(); }

  const CompareConfig& config_;
  const Workload& workload_;
  const std::filesystem::path& folder_;
  const std::optional<uint64_t> direct_alignment_;
  const CacheOptions cache_ = {config_.block_cache_size};
  std::vector<PolicyResult>& results_;
  std::vector<std::unique_ptr<rocksdb::DB>> databases_;  // while in use
  Progress progress_;
};

// All listed policies, so that a mistake in the last one shows first. Ribbon
// filters get their sizes later, once the files are planned.
absl::StatusOr<std::vector<NamedPolicy>> MakePolicies(
    const CompareConfig& config) {
  ASSIGN_OR_RETURN(const auto names, SplitPolicies(config.policies));
  std::vector<NamedPolicy> policies;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(
        policies.emplace_back(),
        MakePolicy(name, config.bits_per_key, config.bits_per_key));
  }
  return policies;
}

// Replaces the Ribbon policies by ones of the requested memory.
absl::Status SizeRibbons(const CompareConfig& config, const RowSource& rows,
                         std::vector<NamedPolicy>* policies, Report* report) {
  for (NamedPolicy& policy : *policies) {
    if (policy.name != kRocksDbRibbon) continue;
    const uint64_t keys =
        std::min(rows.TotalEntries() / rows.files.size(), kMaxRibbonKeys);
    const std::unique_ptr<const rocksdb::FilterPolicy> bloom(
        rocksdb::NewBloomFilterPolicy(config.bits_per_key));
    const double bytes = BuildFilterBlock(*bloom, keys).size();
    const double bits = RibbonBitsWithin(bytes, config.bits_per_key, keys);
    ASSIGN_OR_RETURN(policy,
                     MakePolicy(policy.name, config.bits_per_key, bits));
    report->notes.push_back(absl::StrCat(
        kRocksDbRibbon, " is ", policy.options,
        ": the Ribbon filter that takes the memory of a Bloom filter of ",
        config.bits_per_key, " bits per key."));
  }
  return absl::OkStatus();
}

void ExplainPolicies(const std::vector<NamedPolicy>& policies, Report* report) {
  for (const NamedPolicy& policy : policies) {
    if (policy.name == kLinebloomLevelAware) {
      report->notes.push_back(absl::StrCat(
          policy.name, " is ", policy.options,
          ": more bits per key for small levels, fewer for the last one. It is "
          "told the sizes of the levels, as its listener would tell it in a "
          "database that has them."));
    }
  }
}

absl::Status CheckFreeSpace(const CompareConfig& config,
                            const Workload& workload, size_t policies,
                            const std::filesystem::path& folder) {
  std::error_code error;
  const uint64_t available = std::filesystem::space(folder, error).available;
  // Moving a file down keeps up to three copies; 11/10 covers filters and
  // rounding.
  const bool together = config.keep || config.rounds > 1;
  const uint64_t database = workload.rows.bytes;
  const uint64_t needed = (together ? policies : 1) * database * 11 / 10 +
                          2 * workload.rows.largest_file_bytes + (4 << 20);
  // (An unknown space is -1.)
  if (available >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "not enough space in '%s': about %d MB are needed, %d MB are free%s",
      folder.string(), needed / 1'000'000, available / 1'000'000,
      together && !config.keep
          ? "; with --rounds=1 there is one database at a time"
          : ""));
}

}  // namespace

absl::StatusOr<Outcome> RunComparison(const CompareConfig& config) {
  ASSIGN_OR_RETURN(auto policies, MakePolicies(config));
  ASSIGN_OR_RETURN(const auto scratch,
                   UseScratchFolder(config.db, "linebloom_compare"));
  const std::filesystem::path& folder = scratch->path;
  ASSIGN_OR_RETURN(auto workload, MakeWorkload(config, folder));

  Report report;
  report.machine = DescribeMachine(folder);
  report.notes = workload.notes;
  RETURN_IF_ERROR(SizeRibbons(config, workload.rows, &policies, &report));
  ExplainPolicies(policies, &report);
  RETURN_IF_ERROR(CheckFreeSpace(config, workload, policies.size(), folder));
  workload.facts["folder"] = folder.string();
  const auto alignment =
      config.direct_io ? DirectIoAlignment(folder) : std::nullopt;
  workload.facts["direct_io"] = alignment.has_value();

  for (NamedPolicy& policy : policies) {
    report.results.emplace_back().policy = std::move(policy);
  }
  Comparison comparison(config, workload, folder, alignment, &report.results);
  RETURN_IF_ERROR(comparison.Run());
  report.workload = workload.facts;
  AddFindings(workload.expected_shape, &report);
  if (config.keep) {
    scratch->keep = true;
    report.notes.push_back(absl::StrCat("The databases are kept in '",
                                        folder.string(), "', policy1 to policy",
                                        policies.size(), "."));
  }
  const Json json = ReportAsJson(report);
  return Outcome{ReportAsText(json), json};
}

}  // namespace linebloom::tools
