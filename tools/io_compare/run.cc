#include "tools/io_compare/run.h"

#include <chrono>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/command_line/interrupt.h"
#include "tools/command_line/progress.h"
#include "tools/io_compare/database.h"
#include "tools/io_compare/kernel_io.h"
#include "tools/io_compare/prediction.h"
#include "tools/io_compare/report/findings.h"
#include "tools/io_compare/rows/workload.h"
#include "tools/io_compare/scratch_folder.h"
#include "tools/policies/policy_spec.h"
#include "tools/policies/ribbon.h"

namespace linebloom::tools {
namespace {

// All policies of the list, so that a mistake in the last one shows before
// anything is built. A Ribbon filter's size is set later, once the files are
// planned.
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

// Replaces the Ribbon policies by ones of the memory asked for.
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

absl::Status CheckFreeSpace(const IoCompareConfig& config,
                            const Workload& workload, size_t policies,
                            const std::filesystem::path& folder) {
  const absl::StatusOr<uint64_t> available = FreeBytes(folder);
  if (!available.ok()) return available.status();
  // A file on its way to its level is there up to three times; filters and
  // rounding up.
  const uint64_t database = workload.rows->ApproximateBytes();
  const uint64_t needed = (config.keep ? policies : 1) * database * 11 / 10 +
                          2 * workload.largest_file_bytes + (4 << 20);
  if (*available >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "not enough space in '%s': about %d MB are needed, %d MB are free",
      folder.string(), needed / 1'000'000, *available / 1'000'000));
}

uint64_t FilterBytes(rocksdb::DB* db) {
  rocksdb::TablePropertiesCollection properties;
  uint64_t bytes = 0;
  if (db->GetPropertiesOfAllTables(&properties).ok()) {
    for (const auto& [path, table] : properties) bytes += table->filter_size;
  }
  return bytes;
}

// A policy, and with --row_prefix what of the keys it gets.
struct Variant {
  NamedPolicy policy;
  FilterKeys keys = FilterKeys::kCells;
};

std::vector<Variant> VariantsOf(const IoCompareConfig& config,
                                const std::vector<NamedPolicy>& policies) {
  std::vector<Variant> variants;
  for (const NamedPolicy& policy : policies) {
    if (config.row_prefix == 0 || policy.policy == nullptr) {
      variants.push_back({policy});
      continue;
    }
    for (const FilterKeys keys :
         {FilterKeys::kRows, FilterKeys::kCells, FilterKeys::kBoth}) {
      variants.push_back({policy, keys});
    }
  }
  return variants;
}

// Measures what --row_prefix asks for beside missing cells.
absl::StatusOr<RowLookups> MeasureRows(rocksdb::DB* db,
                                       const std::filesystem::path& folder,
                                       FilterKeys keys,
                                       const IoCompareConfig& config,
                                       const Workload& workload,
                                       Progress* progress) {
  const bool drop_pages = !workload.facts.direct_io;
  const KeyList* missing = &workload.missing_rows;
  const auto gets = MeasureLookups(db, folder, {missing}, config.threads,
                                   drop_pages, progress);
  if (!gets.ok()) return gets.status();
  const auto scans = MeasureLookups(db, folder, {missing, config.row_prefix},
                                    config.threads, drop_pages, progress);
  if (!scans.ok()) return scans.status();
  return RowLookups{keys, *gets, *scans};
}

absl::StatusOr<PolicyResult> RunVariant(const Variant& variant,
                                        const std::filesystem::path& folder,
                                        const IoCompareConfig& config,
                                        Workload* workload,
                                        Progress* progress) {
  const NamedPolicy& policy = variant.policy;
  const Filtering filtering = {policy.policy, variant.keys, config.row_prefix};
  PolicyResult result;
  result.name = policy.name;
  result.options = policy.options;
  progress->Begin(absl::StrCat(policy.name, ": loading rows"),
                  workload->rows->TotalEntries());
  const auto start = std::chrono::steady_clock::now();
  const absl::Status built =
      BuildDatabase(workload->rows.get(), filtering, folder.string(), progress);
  if (!built.ok()) return built;
  result.build_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();

  const bool direct_io = workload->facts.direct_io;
  const auto db =
      OpenForMeasuring(*workload->rows, filtering, folder.string(), direct_io);
  if (!db.ok()) return db.status();
  result.shape = ReadShape(db->get());
  result.filter_bytes = FilterBytes(db->get());
  result.predicted = PredictFalsePositiveRates(db->get());
  progress->Begin(absl::StrCat(policy.name, ": looking keys up"),
                  workload->lookups.size());
  const auto measured =
      MeasureLookups(db->get(), folder, {&workload->lookups}, config.threads,
                     /*drop_pages=*/!direct_io, progress);
  if (!measured.ok()) return measured.status();
  result.measured = *measured;
  if (config.row_prefix > 0) {
    const auto rows = MeasureRows(db->get(), folder, variant.keys, config,
                                  *workload, progress);
    if (!rows.ok()) return rows.status();
    result.rows = *rows;
  }
  result.io_agreement = CompareIo(
      measured->block_bytes, measured->all_block_reads(),
      ReadAlignment(folder / "CURRENT", direct_io), measured->device_bytes);
  return result;
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
  absl::Status status = CheckFreeSpace(
      config, *workload, VariantsOf(config, *policies).size(), scratch->path());
  if (status.ok()) {
    status = SizeRibbons(config, *workload->rows, &*policies, &report);
  }
  ExplainLevels(*policies, &report);
  if (!status.ok()) return status;
  workload->facts.folder = scratch->path().string();
  workload->facts.direct_io =
      config.direct_io && SupportsDirectIo(scratch->path());

  Progress progress;
  const std::vector<Variant> variants = VariantsOf(config, *policies);
  for (size_t i = 0; i < variants.size(); ++i) {
    const std::filesystem::path folder =
        scratch->path() / absl::StrCat("policy", i + 1);
    auto result =
        RunVariant(variants[i], folder, config, &*workload, &progress);
    if (!result.ok()) return result.status();
    report.results.push_back(*std::move(result));
    std::error_code ignored;
    if (!config.keep) std::filesystem::remove_all(folder, ignored);
  }
  report.workload = workload->facts;
  AddFindings(workload->expected_shape, &report);
  if (config.keep) {
    scratch->Keep();
    report.notes.push_back(
        absl::StrCat("The databases are kept in '", report.workload.folder,
                     "', policy1 to policy", variants.size(), "."));
  }
  return report;
}

}  // namespace linebloom::tools
