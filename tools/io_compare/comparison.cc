#include "tools/io_compare/comparison.h"

#include <chrono>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/io_compare/kernel_io.h"
#include "tools/io_compare/prediction.h"
#include "tools/io_compare/warm_up.h"

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

}  // namespace

Comparison::Comparison(const IoCompareConfig& config, Workload* workload,
                       std::vector<Contestant> contestants)
    : config_(config),
      workload_(*workload),
      contestants_(std::move(contestants)) {}

absl::Status Comparison::Run() {
  const size_t together = config_.rounds > 1 ? contestants_.size() : 1;
  for (size_t i = 0; i < contestants_.size(); i += together) {
    const absl::Status status = RunSome(i, i + together);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<PolicyResult> Comparison::TakeResults() {
  std::vector<PolicyResult> results;
  for (Contestant& contestant : contestants_) {
    results.push_back(std::move(contestant.result));
  }
  return results;
}

// Runs contestants [begin, end).
absl::Status Comparison::RunSome(size_t begin, size_t end) {
  const auto rows = static_cast<double>(workload_.rows->TotalEntries());
  absl::Status status;
  for (size_t i = begin; i < end && status.ok(); ++i) {
    // The time for lookups is unknown until all databases are built.
    BeginStep("step 1 of 2, databases: ", i, workload_.rows->TotalEntries(),
              LaterWork{.units = rows * static_cast<double>(end - i - 1)});
    status = Build(&contestants_[i]);
  }
  for (uint64_t round = 0; round < config_.rounds; ++round) {
    for (size_t i = begin; i < end && status.ok(); ++i) {
      status = MeasureOne(round, i);
    }
  }
  for (size_t i = begin; i < end; ++i) {
    contestants_[i].db.reset();
    std::error_code ignored;
    if (!config_.keep) {
      std::filesystem::remove_all(contestants_[i].folder, ignored);
    }
  }
  return status;
}

absl::Status Comparison::Build(Contestant* contestant) {
  const Filtering filtering = FilteringOf(*contestant);
  PolicyResult& result = contestant->result;
  result.name = contestant->policy.name;
  result.options = contestant->policy.options;
  const auto start = std::chrono::steady_clock::now();
  std::function<absl::Status(rocksdb::DB*)> warm_up;
  if (contestant->policy.heat_aware && workload_.warm_lookups.count > 0) {
    result.warm_lookups = workload_.warm_lookups.count;
    warm_up = [this](rocksdb::DB* db) {
      return WarmUp(db, workload_.warm_lookups, config_.threads, &progress_);
    };
  }
  const absl::Status built =
      BuildDatabase(workload_.rows.get(), filtering,
                    contestant->folder.string(), &progress_, warm_up);
  if (!built.ok()) return built;
  result.build_seconds = SecondsSince(start);
  auto db =
      OpenForMeasuring(*workload_.rows, filtering, contestant->folder.string(),
                       config_.block_cache_size, direct_io());
  if (!db.ok()) return db.status();
  contestant->db = *std::move(db);
  result.shape = ReadShape(contestant->db.get());
  result.filter_bytes_by_level = FilterBytesByLevel(contestant->db.get());
  result.predicted = Predict(contestant->db.get());
  if (config_.row_prefix > 0) {
    result.rows = RowLookups{contestant->keys, {}, {}};
  }
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
  Contestant& contestant = contestants_[i];
  PolicyResult& result = contestant.result;
  absl::Status status = Measure(contestant, lookups, &result.measured);
  if (status.ok() && result.rows.has_value()) {
    LookupList missing = PartOf(workload_.missing_rows, round);
    status = Measure(contestant, missing, &result.rows->missing_rows);
    missing.scanned_row_bytes = config_.row_prefix;
    if (status.ok()) {
      status = Measure(contestant, missing, &result.rows->scans);
    }
  }
  if (!status.ok()) return status;
  const Measurement& m = result.measured;
  result.io_agreement =
      CompareIo(m.block_bytes, m.all_block_reads(),
                ReadAlignment(contestant.folder / "CURRENT", direct_io()),
                m.device_bytes);
  if (round == 0) round_seconds_.push_back(SecondsSince(start));
  return absl::OkStatus();
}

absl::Status Comparison::Measure(const Contestant& contestant,
                                 const LookupList& lookups,
                                 Measurement* measured) {
  if (lookups.size() == 0) return absl::OkStatus();
  return MeasureRound(contestant.db.get(), contestant.folder, lookups,
                      config_.threads, /*drop_pages=*/!direct_io(), &progress_,
                      measured);
}

PredictedRates Comparison::Predict(rocksdb::DB* db) const {
  const WarmLookups& lookups = workload_.warm_lookups;
  if (lookups.skew.is_uniform()) return PredictFalsePositiveRates(db);
  return PredictFalsePositiveRates(
      db, [&](const rocksdb::LiveFileMetaData& file) {
        return LookupsBetween(*lookups.missing, lookups.skew,
                              *workload_.rows->comparator(), file.smallestkey,
                              file.largestkey);
      });
}

void Comparison::BeginStep(const std::string& step, size_t i, uint64_t total,
                           const std::optional<LaterWork>& later) {
  constexpr size_t kLongestName = 24;
  std::string name = contestants_[i].policy.name;
  if (name.size() > kLongestName) name = name.substr(0, kLongestName) + "...";
  progress_.Begin(absl::StrCat(step, "policy ", i + 1, " of ",
                               contestants_.size(), " (", name, ")"),
                  total, later);
}

// The part of the lookups that belongs to a round.
LookupList Comparison::PartOf(const KeyList& keys, uint64_t round) const {
  const uint64_t rounds = config_.rounds;
  return {.keys = &keys,
          .begin = keys.size() * round / rounds,
          .end = keys.size() * (round + 1) / rounds};
}

// How many seconds everything after contestant `i` in `round` will take,
// according to the first round.
double Comparison::SecondsAfter(uint64_t round, size_t i) const {
  double seconds = 0;
  for (size_t j = 0; j < round_seconds_.size(); ++j) {
    const double rounds =
        static_cast<double>(config_.rounds - round) - (j > i ? 0 : 1);
    seconds += rounds * round_seconds_[j];
  }
  return seconds;
}

Filtering Comparison::FilteringOf(const Contestant& contestant) const {
  return {contestant.policy.policy, contestant.keys, config_.row_prefix};
}

}  // namespace linebloom::tools
