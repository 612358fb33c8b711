#include "filter_policy/levels/filter_account.h"

#include <algorithm>

namespace linebloom {
namespace {

// How far each may fill the budget: the largest runs, other compactions, and
// flushes. The differences leave room for files that are flushed before a
// compaction gives memory back: a file in level 0 without a filter costs every
// lookup a read.
constexpr double kMaxOfLargestRuns = 0.95;
constexpr double kMaxOfCompactions = 1.0;
constexpr double kMaxOfFlushes = 1.05;

// The share that files written while their databases are opened may take
// besides. Even rounded up to whole lines, the sum stays below 1.1. Rejected:
// no limit but 10 bits per key, with which a tree reopened at its full size
// came to 1.125.
constexpr double kMaxOfRecoveries = 0.04;

// More databases than a process opens at once.
constexpr size_t kMaxDatabasesInRecovery = 64;

// A flush or recovery takes at most this share of what is left.
constexpr double kMaxOfRoomForFlush = 0.25;

// Without room, a compaction may use the memory that it gives back, so the sum
// doesn't rise. One into the largest run then takes at most this share of what
// it should have.
constexpr double kMinOfLargestRun = 0.5;

void Add(const FilterTotals& more, double sign, FilterTotals* totals) {
  totals->keys += sign * more.keys;
  totals->bits += sign * more.bits;
  totals->unknown_keys += sign * more.unknown_keys;
}

}  // namespace

FilterTotals FilterAccount::Job::OutputTotals() const {
  FilterTotals totals;
  for (const auto& [file, filter] : outputs) Add(filter, 1, &totals);
  return totals;
}

uint64_t FilterAccount::VersionOf(const std::string& database) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto version = versions_.find(database);
  return version == versions_.end() ? 0 : version->second;
}

void FilterAccount::SetLive(const std::string& database, uint64_t version,
                            const FilterTotals& live,
                            const std::set<std::string>& installed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t& now = versions_[database];
  if (now != version) return;
  ++now;
  FilterTotals& before = live_[database];
  Add(before, -1, &all_live_);
  Add(live, 1, &all_live_);
  before = live;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    bool done = false;
    if (job->first.first == database) {
      auto& outputs = job->second.outputs;
      for (const std::string& file : installed) {
        if (outputs.erase(file) > 0) {
          done = job->second.is_compaction || outputs.empty();
        }
      }
    }
    job = done ? jobs_.erase(job) : std::next(job);
  }
}

std::set<std::string> FilterAccount::FilesUnderWay(
    const std::string& database) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::set<std::string> files;
  for (const auto& [id, job] : jobs_) {
    if (id.first != database) continue;
    for (const auto& [file, filter] : job.outputs) files.insert(file);
  }
  return files;
}

void FilterAccount::BeginCompaction(const std::string& database, int job,
                                    const FilterTotals& inputs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Job& begun = jobs_[{database, job}];
  begun.is_compaction = true;
  begun.inputs = inputs;
}

void FilterAccount::EndJob(const std::string& database, int job,
                           bool installed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = jobs_.find({database, job});
  if (found == jobs_.end()) return;
  ++versions_[database];
  if (installed) {
    FilterTotals& live = live_[database];
    for (FilterTotals* totals : {&live, &all_live_}) {
      Add(found->second.inputs, -1, totals);
      Add(found->second.OutputTotals(), 1, totals);
    }
  }
  jobs_.erase(found);
}

void FilterAccount::DropFile(const std::string& database,
                             const std::string& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    // RocksDB says nothing of the end of a flush that failed.
    const bool was_last =
        job->first.first == database && job->second.outputs.erase(file) > 0 &&
        job->second.outputs.empty() && !job->second.is_compaction;
    job = was_last ? jobs_.erase(job) : std::next(job);
  }
}

void FilterAccount::Forget(const std::string& database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto live = live_.find(database);
  if (live != live_.end()) {
    Add(live->second, -1, &all_live_);
    live_.erase(live);
  }
  versions_.erase(database);
  std::erase_if(recovered_,
                [&](const auto& of) { return of.first == database; });
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    job = job->first.first == database ? jobs_.erase(job) : std::next(job);
  }
}

FilterTotals FilterAccount::Live() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return all_live_;
}

bool FilterAccount::is_used() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return used_;
}

double FilterAccount::BitsBut(const JobId& but,
                              double bits_per_unknown_key) const {
  const auto bits_of = [=](const FilterTotals& totals) {
    return totals.bits + totals.unknown_keys * bits_per_unknown_key;
  };
  double bits = bits_of(all_live_);
  for (const auto& [id, job] : jobs_) {
    const double inputs = bits_of(job.inputs);
    bits += job.is_compaction && id == but
                ? -inputs
                : std::max(0.0, job.OutputTotals().bits - inputs);
  }
  return bits;
}

double FilterAccount::Allowed(const FilterPlace& place,
                              const BudgetRequest& request) const {
  if (request.keys <= 0) return 0;
  if (request.is_recovery) return AllowedInRecovery(request);
  const JobId id{place.database, place.job};
  const auto found = jobs_.find(id);
  static const Job kNoJob;
  const Job& job = found == jobs_.end() ? kNoJob : found->second;
  // RocksDB says nothing of the inputs of CompactFiles() up to 9.11. What is
  // wanted then takes the place of what they have.
  if (!request.is_flush && !job.is_compaction) return request.bits_per_key;
  const double share =
      all_live_.all_keys() > 0 ? request.budget / all_live_.all_keys() : 0;
  const double limit = request.of_largest_run
                           ? std::min(kMaxOfLargestRuns * request.budget,
                                      request.budget - request.for_flushes)
                           : kMaxOfCompactions * request.budget;
  const double others = BitsBut(id, share);
  double room = limit - others;
  const double mean =
      request.mean_bits > 0 ? request.mean_bits : request.bits_per_key;
  FilterTotals written;
  double keys = request.expected_keys;
  if (job.is_compaction) {
    keys = job.inputs.all_keys();
    const double wanted = mean * keys;
    room = std::max(
        room,
        std::min(job.inputs.bits + job.inputs.unknown_keys * share,
                 request.of_largest_run ? kMinOfLargestRun * wanted : wanted));
    written = job.OutputTotals();
  } else {
    const auto file = job.outputs.find(place.file);
    if (file != job.outputs.end()) written = file->second;
    // `others` has the file's earlier partitions.
    room += written.bits;
    const double for_flush =
        kMaxOfRoomForFlush *
        (kMaxOfFlushes * request.budget - others + written.bits);
    room = request.of_largest_run ? std::max(room, for_flush) : for_flush;
  }
  const double keys_to_come = std::max(request.keys, keys - written.keys);
  room -= written.bits;
  const double too_many = std::max(0.0, mean - room / keys_to_come);
  return std::min(request.bits_per_key - too_many, room / request.keys);
}

double FilterAccount::AllowedInRecovery(const BudgetRequest& request) const {
  double room = kMaxOfRecoveries * request.budget;
  for (const auto& [database, bits] : recovered_) room -= bits;
  return std::min(request.bits_per_key,
                  kMaxOfRoomForFlush * room / request.keys);
}

void FilterAccount::BookRecovered(const std::string& database, double bits) {
  const auto known =
      std::find_if(recovered_.begin(), recovered_.end(),
                   [&](const auto& of) { return of.first == database; });
  if (known != recovered_.end()) {
    known->second += bits;
    return;
  }
  recovered_.emplace_back(database, bits);
  if (recovered_.size() > kMaxDatabasesInRecovery) recovered_.pop_front();
}

double FilterAccount::Offer(const FilterPlace& place,
                            const BudgetRequest& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  used_ = true;
  const double bits = Allowed(place, request);
  if (!request.is_recovery) {
    jobs_[{place.database, place.job}].outputs.try_emplace(place.file);
  }
  return bits;
}

double FilterAccount::Take(const FilterPlace& place,
                           const BudgetRequest& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const double bits = Allowed(place, request);
  if (request.is_recovery) {
    if (bits >= 1) BookRecovered(place.database, bits * request.keys);
    return bits;
  }
  FilterTotals& booked = jobs_[{place.database, place.job}].outputs[place.file];
  booked.keys += request.keys;
  if (bits >= 1) booked.bits += bits * request.keys;
  return bits;
}

}  // namespace linebloom
