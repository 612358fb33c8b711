#include "tools/io_compare_run.h"

#include <chrono>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/interrupt.h"
#include "tools/io_compare_database.h"
#include "tools/io_compare_prediction.h"
#include "tools/io_compare_ribbon.h"
#include "tools/io_compare_workload.h"
#include "tools/kernel_io.h"
#include "tools/policy_spec.h"
#include "tools/progress.h"
#include "tools/scratch_folder.h"
#include "tools/table_printer.h"

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
    const absl::StatusOr<double> bits = RibbonBitsForMemory(
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

absl::StatusOr<PolicyResult> RunPolicy(const NamedPolicy& policy,
                                       const std::filesystem::path& folder,
                                       const IoCompareConfig& config,
                                       Workload* workload, Progress* progress) {
  PolicyResult result;
  result.name = policy.name;
  result.options = policy.options;
  progress->Begin(absl::StrCat(policy.name, ": loading rows"),
                  workload->rows->TotalEntries());
  const auto start = std::chrono::steady_clock::now();
  const absl::Status built = BuildDatabase(workload->rows.get(), policy.policy,
                                           folder.string(), progress);
  if (!built.ok()) return built;
  result.build_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();

  const bool direct_io = workload->facts.direct_io;
  const auto db = OpenForMeasuring(*workload->rows, policy.policy,
                                   folder.string(), direct_io);
  if (!db.ok()) return db.status();
  result.shape = ReadShape(db->get());
  result.filter_bytes = FilterBytes(db->get());
  result.predicted_false_positive_rate = PredictedFalsePositiveRate(db->get());
  progress->Begin(absl::StrCat(policy.name, ": looking keys up"),
                  workload->lookups.size());
  const auto measured =
      MeasureLookups(db->get(), folder, workload->lookups, config.threads,
                     /*drop_pages=*/!direct_io, progress);
  if (!measured.ok()) return measured.status();
  result.measured = *measured;
  result.io_agreement = CompareIo(
      measured->block_bytes, measured->all_block_reads(),
      ReadAlignment(folder / "CURRENT", direct_io), measured->device_bytes);
  return result;
}

void CheckShapes(const Workload& workload, Report* report) {
  const PolicyResult& first = report->results.front();
  for (const PolicyResult& result : report->results) {
    const std::string difference =
        DescribeDifference(first.shape, first.name, result.shape, result.name);
    if (!difference.empty()) {
      report->problems.push_back(absl::StrCat(
          "the databases differ in more than their filters: ", difference));
    }
  }
  if (workload.expected_shape.files.empty()) return;
  const std::string difference = DescribeDifference(
      workload.expected_shape, "--source_db", first.shape, "the copy");
  if (!difference.empty()) {
    report->notes.push_back(absl::StrCat(
        "The copies are alike, but not quite as --source_db: ", difference,
        "."));
  }
}

void CheckFound(const Workload& workload, Report* report) {
  const PolicyResult& first = report->results.front();
  for (const PolicyResult& result : report->results) {
    if (result.measured.found != first.measured.found) {
      report->problems.push_back(absl::StrCat(
          result.name, " found ", result.measured.found, " keys and ",
          first.name, " ", first.measured.found, ": one of them lost rows"));
    }
  }
  const uint64_t found = first.measured.found;
  const uint64_t asked = workload.facts.asked_existing;
  if (found > asked) {
    report->notes.push_back(absl::StrCat(
        WithThousands(found - asked),
        " of the keys looked up as missing exist. They count as found, not as "
        "false positives."));
  } else if (found < asked && workload.facts.source != "source_db") {
    // (Of a database's rows some may be in the write-ahead log alone.)
    report->problems.push_back(absl::StrCat(first.name, " found ", found,
                                            " of ", asked, " existing rows"));
  }
}

std::string Describe(IoAgreement agreement) {
  switch (agreement) {
    case IoAgreement::kAgrees:
      return "agrees with RocksDB's within the rounding to whole blocks of the "
             "device";
    case IoAgreement::kKernelSilent:
      return "is not available here, so the device bytes are unknown";
    case IoAgreement::kNothingRead:
      return "is zero: this file system has no device behind it, or hides it, "
             "and times are not those of a disk";
    case IoAgreement::kKernelLess:
      return "is smaller than RocksDB's: some reads came out of memory";
    case IoAgreement::kKernelMore:
      return "is larger than RocksDB's and rounding together explain: "
             "something reads ahead, or other reads were under way";
  }
  return "";
}

void NoteIoAgreement(Report* report) {
  for (const IoAgreement agreement :
       {IoAgreement::kAgrees, IoAgreement::kKernelSilent,
        IoAgreement::kNothingRead, IoAgreement::kKernelLess,
        IoAgreement::kKernelMore}) {
    std::vector<std::string> names;
    for (const PolicyResult& result : report->results) {
      if (result.io_agreement == agreement) names.push_back(result.name);
    }
    if (names.empty()) continue;
    const bool all = names.size() == report->results.size();
    report->notes.push_back(absl::StrCat(
        "The kernel's count of bytes read from the device ",
        all ? "" : absl::StrCat("(", absl::StrJoin(names, ", "), ") "),
        Describe(agreement), "."));
  }
}

void NoteOtherBlockReads(Report* report) {
  for (const PolicyResult& result : report->results) {
    const Measurement& m = result.measured;
    if (m.index_block_reads + m.filter_block_reads == 0) continue;
    report->notes.push_back(absl::StrCat(
        result.name, " also read ", WithThousands(m.index_block_reads),
        " index and ", WithThousands(m.filter_block_reads), " filter blocks."));
  }
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
      CheckFreeSpace(config, *workload, policies->size(), scratch->path());
  if (status.ok()) {
    status = SizeRibbons(config, *workload->rows, &*policies, &report);
  }
  if (!status.ok()) return status;
  workload->facts.folder = scratch->path().string();
  workload->facts.direct_io =
      config.direct_io && SupportsDirectIo(scratch->path());

  Progress progress;
  for (size_t i = 0; i < policies->size(); ++i) {
    const std::filesystem::path folder =
        scratch->path() / absl::StrCat("policy", i + 1);
    auto result =
        RunPolicy((*policies)[i], folder, config, &*workload, &progress);
    if (!result.ok()) return result.status();
    report.results.push_back(*std::move(result));
    std::error_code ignored;
    if (!config.keep) std::filesystem::remove_all(folder, ignored);
  }
  report.workload = workload->facts;
  CheckShapes(*workload, &report);
  CheckFound(*workload, &report);
  NoteIoAgreement(&report);
  NoteOtherBlockReads(&report);
  if (config.keep) {
    scratch->Keep();
    report.notes.push_back(
        absl::StrCat("The databases are kept in '", report.workload.folder,
                     "', policy1 to policy", policies->size(), "."));
  }
  return report;
}

}  // namespace linebloom::tools
