#include "tools/io_compare/comparison.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "rocksdb/db.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/database.h"
#include "tools/io_compare/kernel_io.h"
#include "tools/io_compare/measure.h"
#include "tools/io_compare/prediction.h"
#include "tools/io_compare/report/findings.h"
#include "tools/io_compare/report/report.h"
#include "tools/io_compare/rows/workload.h"
#include "tools/io_compare/scratch_folder.h"
#include "tools/shared/policies.h"
#include "tools/shared/progress.h"
#include "tools/shared/ribbon.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

std::vector<uint64_t> FilterBytesByLevel(rocksdb::DB* db) {
  std::vector<uint64_t> bytes;
  rocksdb::TablePropertiesCollection properties;
  if (!db->GetPropertiesOfAllTables(&properties).ok()) return bytes;
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  for (const rocksdb::LiveFileMetaData& file : live) {
    const auto level = static_cast<size_t>(file.level);
    if (bytes.size() <= level) bytes.resize(level + 1);
    const auto table = properties.find(absl::StrCat(file.db_path, file.name));
    if (table != properties.end()) bytes[level] += table->second->filter_size;
  }
  return bytes;
}

// A policy and its database.
struct TestedPolicy {
  NamedPolicy policy;
  std::filesystem::path folder;  // of the database, not created yet
  std::unique_ptr<rocksdb::DB> db;
  PolicyResult result;
};

class Comparison {
 public:
  // `config` and `workload` must outlive this.
  Comparison(const IoCompareConfig& config, Workload* workload,
             std::vector<TestedPolicy> tested);

  // Builds all databases, then looks up keys in rounds, each of which goes
  // through all policies, so that other load on the machine affects them all
  // alike. With a single round, it handles one database after another, which
  // takes less disk space. Removes each database after its last use, unless
  // `keep` is set.
  absl::Status Run();

  // After Run(), once.
  std::vector<PolicyResult> TakeResults();

 private:
  absl::Status RunSome(size_t begin, size_t end);
  absl::Status Build(TestedPolicy* tested);
  PredictedRates Predict(rocksdb::DB* db) const;
  absl::Status MeasureOne(uint64_t round, size_t i);
  void BeginStep(const std::string& step, size_t i, uint64_t total,
                 const std::optional<LaterWork>& later);
  LookupList PartOf(const KeyList& keys, uint64_t round) const;
  double SecondsAfter(uint64_t round, size_t i) const;
  bool direct_io() const { return workload_.facts.direct_io; }

  const IoCompareConfig& config_;
  Workload& workload_;
  std::vector<TestedPolicy> tested_;
  std::vector<double> round_seconds_;  // of the first round
  Progress progress_;
};

Comparison::Comparison(const IoCompareConfig& config, Workload* workload,
                       std::vector<TestedPolicy> tested)
    : config_(config), workload_(*workload), tested_(std::move(tested)) {}

absl::Status Comparison::Run() {
  const size_t together = config_.rounds > 1 ? tested_.size() : 1;
  for (size_t i = 0; i < tested_.size(); i += together) {
    const absl::Status status = RunSome(i, i + together);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<PolicyResult> Comparison::TakeResults() {
  std::vector<PolicyResult> results;
  for (TestedPolicy& tested : tested_) {
    results.push_back(std::move(tested.result));
  }
  return results;
}

// Runs policies [begin, end).
absl::Status Comparison::RunSome(size_t begin, size_t end) {
  const auto rows = static_cast<double>(workload_.rows.TotalEntries());
  absl::Status status;
  for (size_t i = begin; i < end && status.ok(); ++i) {
    // The time for lookups is unknown until all databases are built.
    BeginStep("step 1 of 2, databases: ", i, workload_.rows.TotalEntries(),
              LaterWork{.units = rows * static_cast<double>(end - i - 1)});
    status = Build(&tested_[i]);
  }
  for (uint64_t round = 0; round < config_.rounds; ++round) {
    for (size_t i = begin; i < end && status.ok(); ++i) {
      status = MeasureOne(round, i);
    }
  }
  for (size_t i = begin; i < end; ++i) {
    tested_[i].db.reset();
    std::error_code ignored;
    if (!config_.keep) {
      std::filesystem::remove_all(tested_[i].folder, ignored);
    }
  }
  return status;
}

absl::Status Comparison::Build(TestedPolicy* tested) {
  const SharedPolicy& policy = tested->policy.policy;
  PolicyResult& result = tested->result;
  result.name = tested->policy.name;
  result.options = tested->policy.options;
  const auto start = std::chrono::steady_clock::now();
  std::function<absl::Status(rocksdb::DB*)> warm_up;
  if (tested->policy.heat_aware && config_.warm_lookups > 0) {
    result.warm_lookups = config_.warm_lookups;
    warm_up = [this](rocksdb::DB* db) {
      return WarmUp(db, RepeatedLookups(workload_.mix, config_.warm_lookups),
                    config_.threads, &progress_);
    };
  }
  const absl::Status built = BuildDatabase(
      workload_.rows, policy, tested->folder.string(), &progress_, warm_up);
  if (!built.ok()) return built;
  result.build_seconds = SecondsSince(start);
  auto db = OpenForMeasuring(workload_.rows, policy, tested->folder.string(),
                             config_.block_cache_size, direct_io());
  if (!db.ok()) return db.status();
  tested->db = *std::move(db);
  result.shape = ReadShape(tested->db.get());
  result.filter_bytes_by_level = FilterBytesByLevel(tested->db.get());
  result.predicted = Predict(tested->db.get());
  return absl::OkStatus();
}

absl::Status Comparison::MeasureOne(uint64_t round, size_t i) {
  const LookupList lookups = PartOf(workload_.lookups, round);
  std::optional<LaterWork> later;
  if (round > 0) later = LaterWork{.seconds = SecondsAfter(round, i)};
  BeginStep(config_.rounds == 1
                ? "step 2 of 2, lookups: "
                : absl::StrCat("step 2 of 2, lookups: round ", round + 1,
                               " of ", config_.rounds, ", "),
            i, lookups.size(), later);
  const auto start = std::chrono::steady_clock::now();
  TestedPolicy& tested = tested_[i];
  PolicyResult& result = tested.result;
  if (lookups.size() > 0) {
    const absl::Status status =
        MeasureRound(tested.db.get(), tested.folder, lookups, config_.threads,
                     /*drop_pages=*/!direct_io(), &progress_, &result.measured);
    if (!status.ok()) return status;
  }
  const Measurement& m = result.measured;
  result.io_agreement = CompareIo(
      m.block_bytes, m.all_block_reads(),
      ReadAlignment(tested.folder / "CURRENT", direct_io()), m.device_bytes);
  if (round == 0) round_seconds_.push_back(SecondsSince(start));
  return absl::OkStatus();
}

PredictedRates Comparison::Predict(rocksdb::DB* db) const {
  if (workload_.mix.skew.is_uniform()) return PredictFalsePositiveRates(db);
  return PredictFalsePositiveRates(
      db, [&](const rocksdb::LiveFileMetaData& file) {
        return LookupsBetween(workload_.mix, *workload_.rows.comparator,
                              file.smallestkey, file.largestkey);
      });
}

void Comparison::BeginStep(const std::string& step, size_t i, uint64_t total,
                           const std::optional<LaterWork>& later) {
  constexpr size_t kLongestName = 24;
  std::string name = tested_[i].policy.name;
  if (name.size() > kLongestName) name = name.substr(0, kLongestName) + "...";
  progress_.Begin(absl::StrCat(step, "policy ", i + 1, " of ", tested_.size(),
                               " (", name, ")"),
                  total, later);
}

// The part of the lookups that belongs to a round.
LookupList Comparison::PartOf(const KeyList& keys, uint64_t round) const {
  const uint64_t rounds = config_.rounds;
  return {.keys = &keys,
          .begin = keys.size() * round / rounds,
          .end = keys.size() * (round + 1) / rounds};
}

// Estimates the seconds that everything after policy `i` in `round` will take,
// from the times of the first round.
double Comparison::SecondsAfter(uint64_t round, size_t i) const {
  double seconds = 0;
  for (size_t j = 0; j < round_seconds_.size(); ++j) {
    const double rounds =
        static_cast<double>(config_.rounds - round) - (j > i ? 0 : 1);
    seconds += rounds * round_seconds_[j];
  }
  return seconds;
}

// Creates all listed policies first, so that a mistake in the last one shows
// before anything is built. The sizes of Ribbon filters are set later, once the
// files are planned.
absl::StatusOr<std::vector<NamedPolicy>> MakePolicies(
    const IoCompareConfig& config) {
  const auto names = SplitPolicies(config.policies);
  if (!names.ok()) return names.status();
  std::vector<NamedPolicy> policies;
  for (const std::string& name : *names) {
    auto policy = MakePolicy(name, config.bits_per_key, config.bits_per_key);
    if (!policy.ok()) return policy.status();
    policies.push_back(*std::move(policy));
  }
  return policies;
}

// Replaces the Ribbon policies by ones of the requested memory.
absl::Status SizeRibbons(const IoCompareConfig& config, const RowSource& rows,
                         std::vector<NamedPolicy>* policies, Report* report) {
  for (NamedPolicy& policy : *policies) {
    if (policy.name != kRocksDbRibbon) continue;
    const double bits = RibbonBitsAsBloom(
        config.bits_per_key, rows.TotalEntries() / rows.files.size());
    auto sized = MakePolicy(policy.name, config.bits_per_key, bits);
    if (!sized.ok()) return sized.status();
    policy = *std::move(sized);
    report->notes.push_back(absl::StrCat(
        kRocksDbRibbon, " is ", policy.options,
        ": the Ribbon filter that takes the memory of a Bloom filter of ",
        config.bits_per_key, " bits per key."));
  }
  return absl::OkStatus();
}

void ExplainLevels(const std::vector<NamedPolicy>& policies, Report* report) {
  for (const NamedPolicy& policy : policies) {
    if (policy.name != kLinebloomLevelAware) continue;
    report->notes.push_back(absl::StrCat(
        policy.name, " is ", policy.options,
        ": more bits per key for small levels, fewer for the last one. It is "
        "told the sizes of the levels, as its listener would tell it in a "
        "database that has them."));
  }
}

void ExplainHeat(const IoCompareConfig& config,
                 const std::vector<NamedPolicy>& policies, Report* report) {
  std::vector<std::string> names;
  for (const NamedPolicy& policy : policies) {
    if (!policy.heat_aware) continue;
    names.push_back(policy.name);
    if (policy.name != kLinebloomHeatAware) continue;
    report->notes.push_back(absl::StrCat(policy.name, " is ", policy.options,
                                         ": more bits where lookups fall."));
  }
  if (names.empty()) return;
  const std::string name = absl::StrJoin(names, " and ");
  report->notes.push_back(
      config.warm_lookups == 0
          ? absl::StrCat(name,
                         " knew nothing of the lookups when its filters "
                         "were built.")
          : absl::StrCat(
                name, " learned from ", WithThousands(config.warm_lookups),
                " lookups spread like those measured. Then all its files below "
                "level 0 were rewritten, with the same rows. Other policies "
                "don't use lookups: their files would come out the same. "
                "'build s' includes both."));
}

absl::Status CheckFreeSpace(const IoCompareConfig& config,
                            const Workload& workload, size_t policies,
                            const std::filesystem::path& folder) {
  const absl::StatusOr<uint64_t> available = FreeBytes(folder);
  if (!available.ok()) return available.status();
  // Moving a file down keeps up to three copies; 11/10 covers filters and
  // rounding.
  const bool together = config.keep || config.rounds > 1;
  const uint64_t database = workload.rows.bytes;
  const uint64_t needed = (together ? policies : 1) * database * 11 / 10 +
                          2 * workload.rows.largest_file_bytes + (4 << 20);
  if (*available >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "not enough space in '%s': about %d MB are needed, %d MB are free%s",
      folder.string(), needed / 1'000'000, *available / 1'000'000,
      together && !config.keep
          ? "; with --rounds=1 there is one database at a time"
          : ""));
}

}  // namespace

absl::StatusOr<Report> RunComparison(const IoCompareConfig& config) {
  auto policies = MakePolicies(config);
  if (!policies.ok()) return policies.status();
  auto scratch = config.db.empty() ? ScratchFolder::MakeTemporary("io_compare")
                                   : ScratchFolder::Use(config.db);
  if (!scratch.ok()) return scratch.status();
  auto workload = MakeWorkload(config, scratch->path());
  if (!workload.ok()) return workload.status();

  Report report;
  report.config = config;
  report.machine = DescribeMachine(scratch->path());
  report.notes = workload->notes;
  absl::Status status =
      SizeRibbons(config, workload->rows, &*policies, &report);
  if (!status.ok()) return status;
  ExplainLevels(*policies, &report);
  ExplainHeat(config, *policies, &report);
  std::vector<TestedPolicy> tested(policies->size());
  for (size_t i = 0; i < tested.size(); ++i) {
    tested[i].policy = (*policies)[i];
    tested[i].folder = scratch->path() / absl::StrCat("policy", i + 1);
  }
  status = CheckFreeSpace(config, *workload, policies->size(), scratch->path());
  if (!status.ok()) return status;
  workload->facts.folder = scratch->path().string();
  workload->facts.direct_io =
      config.direct_io && SupportsDirectIo(scratch->path());

  Comparison comparison(config, &*workload, std::move(tested));
  status = comparison.Run();
  if (!status.ok()) return status;
  report.results = comparison.TakeResults();
  report.workload = workload->facts;
  AddFindings(workload->expected_shape, &report);
  if (config.keep) {
    scratch->Keep();
    report.notes.push_back(
        absl::StrCat("The databases are kept in '", report.workload.folder,
                     "', policy1 to policy", policies->size(), "."));
  }
  return report;
}

}  // namespace linebloom::tools
