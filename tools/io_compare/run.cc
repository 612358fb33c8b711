#include "tools/io_compare/run.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/command_line/table_printer.h"
#include "tools/io_compare/comparison.h"
#include "tools/io_compare/kernel_io.h"
#include "tools/io_compare/report/findings.h"
#include "tools/io_compare/rows/workload.h"
#include "tools/io_compare/scratch_folder.h"
#include "tools/policies/policy_spec.h"
#include "tools/policies/ribbon.h"

namespace linebloom::tools {
namespace {

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
    const absl::StatusOr<double> bits = RibbonBitsAsBloom(
        config.bits_per_key, rows.TotalEntries() / rows.files().size());
    if (!bits.ok()) return bits.status();
    auto sized = MakePolicy(policy.name, config.bits_per_key, *bits);
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
      config.warm_lookups == 0 || config.row_prefix > 0
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
  // On its way to its level a file exists up to three times. Includes filters
  // and rounding up.
  const bool together = config.keep || config.rounds > 1;
  const uint64_t database = workload.rows->ApproximateBytes();
  const uint64_t needed = (together ? policies : 1) * database * 11 / 10 +
                          2 * workload.largest_file_bytes + (4 << 20);
  if (*available >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "not enough space in '%s': about %d MB are needed, %d MB are free%s",
      folder.string(), needed / 1'000'000, *available / 1'000'000,
      together && !config.keep
          ? "; with --rounds=1 there is one database at a time"
          : ""));
}

// With --row_prefix, each policy occurs three times.
std::vector<Contestant> ContestantsOf(const IoCompareConfig& config,
                                      const std::vector<NamedPolicy>& policies,
                                      const std::filesystem::path& scratch) {
  std::vector<Contestant> contestants;
  const auto add = [&](const NamedPolicy& policy, FilterKeys keys) {
    Contestant& contestant = contestants.emplace_back();
    contestant.policy = policy;
    contestant.keys = keys;
    contestant.folder = scratch / absl::StrCat("policy", contestants.size());
  };
  for (const NamedPolicy& policy : policies) {
    if (config.row_prefix == 0 || policy.policy == nullptr) {
      add(policy, FilterKeys::kCells);
      continue;
    }
    for (const FilterKeys keys :
         {FilterKeys::kRows, FilterKeys::kCells, FilterKeys::kBoth}) {
      add(policy, keys);
    }
  }
  return contestants;
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
      SizeRibbons(config, *workload->rows, &*policies, &report);
  if (!status.ok()) return status;
  ExplainLevels(*policies, &report);
  ExplainHeat(config, *policies, &report);
  std::vector<Contestant> contestants =
      ContestantsOf(config, *policies, scratch->path());
  const size_t databases = contestants.size();
  status = CheckFreeSpace(config, *workload, databases, scratch->path());
  if (!status.ok()) return status;
  workload->facts.folder = scratch->path().string();
  workload->facts.direct_io =
      config.direct_io && SupportsDirectIo(scratch->path());

  Comparison comparison(config, &*workload, std::move(contestants));
  status = comparison.Run();
  if (!status.ok()) return status;
  report.results = comparison.TakeResults();
  report.workload = workload->facts;
  AddFindings(workload->expected_shape, &report);
  if (config.keep) {
    scratch->Keep();
    report.notes.push_back(
        absl::StrCat("The databases are kept in '", report.workload.folder,
                     "', policy1 to policy", databases, "."));
  }
  return report;
}

}  // namespace linebloom::tools
